# batchtools by its own templates: jobs, chunks as arrays, jobs that fail, expire, and are killed.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "scenario.R"))
suppressPackageStartupMessages(library(batchtools))
options(batchtools.progress = FALSE, batchtools.verbose = FALSE, warn = 1)

RESOURCES <- list(ncpus = 2L, memory = 300L, walltime = 90L, partition = "main")

registry <- function(name, template) {
  reg <- makeRegistry(name, conf.file = NA, seed = 1)
  reg$cluster.functions <- makeClusterFunctionsSlurm(template)
}

batch_id <- function(ids) getJobTable(ids)$batch.id

test_jobs <- function(template, partition, resources, mem_per_cpu) {
  registry(template, template)
  given <- c("SLURM_JOB_ID", "SLURM_CPUS_PER_TASK", "SLURM_MEM_PER_CPU", "SLURM_JOB_PARTITION")
  ids <- batchMap(function(x, given) list(x^2, Sys.getenv(given)), 1:2, more.args = list(given = given))
  submitJobs(resources = resources)
  stopifnot(waitForJobs(sleep = 0.3), getStatus()$done == 2, nrow(findExpired()) == 0)
  jobs <- batch_id(ids)
  for (i in 1:2) {
    same(loadResult(i), list(i^2, c(jobs[i], "2", mem_per_cpu, partition)))
    wait("the job's end", function() sacct(jobs[i], "State") == "COMPLETED")
    same(sacct(jobs[i], "JobName%99,Partition,AllocCPUS,Timelimit"),
         sprintf("%s|%s|2|00:02:00", sub("[.]log$", "", getJobTable(i)$job.hash), partition))
    stopifnot(any(grepl("Job terminated successfully", getLog(i))))
  }
}

test_chunks_as_arrays <- function() {
  registry("arrays", "slurm-simple")
  ids <- batchMap(function(x) Sys.getenv(c("SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT")), 1:6)
  ids$chunk <- chunk(ids$job.id, chunk.size = 3, shuffle = FALSE)
  submitJobs(ids, resources = c(RESOURCES, chunks.as.arrayjobs = TRUE))
  stopifnot(waitForJobs(sleep = 0.3))
  told <- batch_id(ids)
  same(told, sprintf("%s_%d", rep(unique(sub("_.*", "", told)), each = 3), rep(1:3, 2)))
  stopifnot(length(unique(sub("_.*", "", told))) == 2)
  for (i in 1:6) {
    same(loadResult(i), c(strsplit(told[i], "_")[[1]], "3"))
    wait("the task's end", function() sacct(told[i], "State") == "COMPLETED")
    stopifnot(sum(grepl(sprintf("Starting job [batchtools job.id=%d]", i), getLog(i), fixed = TRUE)) == 1)
  }
}

test_ends <- function() {
  registry("ends", "slurm-simple")
  ids <- batchMap(function(x) switch(x, stop("no such luck"), { cat("leaving\n"); quit(status = 3) }, Sys.sleep(600), NULL), 1:4)
  submitJobs(1:2, resources = RESOURCES)
  submitJobs(3, resources = within(RESOURCES, partition <- "one"))
  submitJobs(4, resources = within(RESOURCES, { ncpus <- 8L; partition <- "one" }))
  stopifnot(!waitForJobs(1:2, sleep = 0.5, expire.after = 3L))
  same(findErrors()$job.id, 1L)
  stopifnot(grepl("no such luck", getErrorMessages()$message), any(grepl("no such luck", getLog(1))), any(grepl("leaving", getLog(2))))
  same(findExpired()$job.id, 2L)
  same(sacct(batch_id(2), "State,ExitCode"), "FAILED|3:0")
  same(sacct(batch_id(1), "State,ExitCode"), "COMPLETED|0:0")
}

test_kill <- function() {
  same(findOnSystem()$job.id, 3:4)
  wait("the third to run", function() identical(findRunning()$job.id, 3L))
  same(findQueued()$job.id, 4L)
  jobs <- batch_id(3:4)
  same(killJobs(3:4)$killed, c(TRUE, TRUE))
  wait("their ends", function() all(grepl("^CANCELLED", sacct(paste(jobs, collapse = ","), "State"))))
  same(c(nrow(findOnSystem()), findNotSubmitted()$job.id), c(0L, 3L, 4L))
}

test_refused <- function() {
  told <- tryCatch(submitJobs(3, resources = within(RESOURCES, partition <- "nowhere")), error = conditionMessage)
  stopifnot(grepl("Batch job submission failed: Invalid partition name specified", told), nrow(findOnSystem()) == 0)
}

test_jobs("slurm-simple", "main", RESOURCES, "300")
test_jobs("slurm-lido3", "short", RESOURCES[c("ncpus", "memory", "walltime")], "300")
ran("batchtools", "its templates slurm-simple and slurm-lido3")
test_chunks_as_arrays()
ran("batchtools", "chunks as array jobs, each task's log")
test_ends()
test_kill()
test_refused()
ran("batchtools", "an error, an expired job, killing one that runs and one that waits, a refusal")
test_jobs("slurm-dortmund", "all", RESOURCES[c("ncpus", "memory", "walltime")], "300")
ran("batchtools", "its template slurm-dortmund (--mincpus)")
