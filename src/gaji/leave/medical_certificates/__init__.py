"""Medical certificates of leave requests and leave days: PDF files and images, stored encrypted."""
