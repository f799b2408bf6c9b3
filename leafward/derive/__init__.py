"""From declarations to API: functions, methods, in-place forms, namespaces, documentation. It knows no op by name."""
