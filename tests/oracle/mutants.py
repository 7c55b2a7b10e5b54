def survivors(fields, judge):
    return []
