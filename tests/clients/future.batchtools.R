# future.batchtools by its own template: values, resources, an error, a job that is cancelled, cores and workers.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "scenario.R"))
suppressPackageStartupMessages(library(future.batchtools))
options(future.wait.interval = 0.3, warn = 1)

TEMPLATE <- system.file("templates", "slurm.tmpl", package = "future.batchtools", mustWork = TRUE)

slurm <- function(...) plan(batchtools_slurm, template = TEMPLATE, resources = list(...))

job_of <- function(future) {
  reg <- future$config$reg
  reg$status$batch.id
}

test_values <- function() {
  slurm(partition = "main", ntasks = 3, mem = "700M")
  factor <- 7
  futures <- lapply(1:3, function(i) future(list(i * factor, Sys.getenv("SLURM_JOB_ID")), label = paste0("value", i)))
  jobs <- vapply(futures, job_of, "")
  wait("them to be resolved", function() all(resolved(futures)))
  same(value(futures), lapply(1:3, function(i) list(i * factor, jobs[i])))
  wait("their ends", function() all(sacct(paste(jobs, collapse = ","), "State") == "COMPLETED"))
  asked <- sacct(paste(jobs, collapse = ","), "JobName,Partition,AllocCPUS,ReqMem,Timelimit")
  same(asked, sprintf("value%d|main|3|700M|00:05:00", 1:3))
}

test_cores_and_workers <- function() {
  slurm(ntasks = 3)
  cores %<-% parallelly::availableCores(methods = "Slurm")
  same(cores, 3L)
  slurm(nodes = 2, ntasks = 4, distribution = "cyclic")
  workers %<-% parallelly::availableWorkers(methods = "Slurm")
  same(workers, rep(c("r1", "r2"), each = 2))
}

test_error <- function() {
  slurm(partition = "short")
  failing <- future({ warning("look out"); stop("no such luck") })
  job <- job_of(failing)
  warned <- NULL
  relay <- function(w) {
    warned <<- conditionMessage(w)
    invokeRestart("muffleWarning")
  }
  told <- tryCatch(withCallingHandlers(value(failing), warning = relay), error = identity)
  same(c(conditionMessage(told), warned), c("no such luck", "look out"))
  same(sacct(job, "Partition,State,ExitCode"), "short|COMPLETED|0:0")
}

test_cancelled <- function() {
  slurm(partition = "main")
  killed <- future({ message("begun"); Sys.sleep(600) })
  job <- job_of(killed)
  wait("it to run", function() sacct(job, "State") == "RUNNING" && !resolved(killed))
  log <- function() tryCatch(batchtools::getLog(1, reg = killed$config$reg), error = function(e) "")
  wait("R to begin", function() any(grepl("Starting job", log())))
  system2("scancel", job)
  told <- tryCatch(value(killed), error = identity)
  stopifnot(inherits(told, "BatchtoolsFutureError"), grepl("expired.*last few lines.*Starting job", conditionMessage(told)))
  stopifnot(grepl("^CANCELLED by ", sacct(job, "State")))
}

test_refused <- function() {
  slurm(partition = "nowhere")
  told <- tryCatch(future(1), error = conditionMessage)
  stopifnot(grepl("Invalid partition name specified", told))
}

test_values()
test_cores_and_workers()
ran("future.batchtools", "values of futures with resources, the cores and workers that a future finds")
test_error()
test_cancelled()
test_refused()
ran("future.batchtools", "an error and a warning relayed, a job cancelled under a future, a refusal")
