// Browsers start no workers of pages that are files: there, search runs in a frame of the page.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      this.started = new Promise((resolve) => {
        frame.addEventListener("load", () => resolve(this.start(frame.contentWindow, address)));
      });
      document.body.append(frame);
    }

    // Run the script in the window of the frame, and return the window.
    start(inside, address) {
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = address;
      return new Promise((resolve) => {
        script.addEventListener("load", () => resolve(inside));
        inside.document.body.append(script);
      });
    }

    postMessage(data) {
      this.started.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
