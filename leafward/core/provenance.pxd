cpdef call_site()
