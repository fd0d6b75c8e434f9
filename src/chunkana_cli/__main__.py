"""Run the command as `python -m chunkana_cli`."""

from chunkana_cli.entry import run

if __name__ == "__main__":
    run()
