"""fio's job files: read into scenarios, and written from them."""
