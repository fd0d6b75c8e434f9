"""Run the command as `python -m chunkana_cli`."""

from chunkana_cli.main import app

if __name__ == "__main__":
    app(prog_name="chunkana")
