"""What people look at: charts, the HTML pages of reports, pictures, traces."""
