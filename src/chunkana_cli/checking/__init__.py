"""The work of `chunkana validate`: read the chunks of any tool and check the laws."""
