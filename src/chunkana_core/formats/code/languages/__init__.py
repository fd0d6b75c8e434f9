"""The languages, a row each, of the names that their grammars give to what becomes sections."""
