# What scenarios in R share: like scenario.py.

ran <- function(package, what) cat(sprintf("ran: %s %s: %s\n", package, packageVersion(package), what))

sacct <- function(job, field) {
  system2("sacct", c("-n", "-X", "-P", "-j", job, "-o", field), stdout = TRUE)
}

wait <- function(what, condition, patience = 90) {
  until <- Sys.time() + patience
  while (Sys.time() < until) {
    if (isTRUE(condition())) return(invisible(TRUE))
    Sys.sleep(0.2)
  }
  stop(sprintf("waited %d s for %s", patience, what))
}

same <- function(found, wanted) {
  if (!isTRUE(all.equal(found, wanted, check.attributes = FALSE))) {
    stop(sprintf("found %s, not %s", paste(deparse(found), collapse = " "), paste(deparse(wanted), collapse = " ")), call. = TRUE)
  }
}
