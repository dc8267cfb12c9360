"""AWS's bulk price list of EC2, read into price files."""
