"""Queries as people type them: filters, orders, columns and forms of the commands that only show. Compared line by line."""

import re

import newer
from compare import Field, pairs_differ, table_differs, text_differs
from manual import long_fields

STEP_COLUMNS = {"CPUFreq", "Nodes", "StepID", "StepName", "StepState", "tres-per-step", "ResvPort"}  # squeue -O has these of steps alone.

SQUEUE = [
    "-u games", "-u news", "-u games,news", "-u root", "-u 9", "--user=news --states=all", "-A physics", "-A bio", "-A physics,bio",
    "-A nosuch", "-p main", "-p debug", "-p main,debug", "-w gpu1", "-w gpu[1-2]", "-w gpu3,gpu4", "-n typed", "-n typed,whole",
    "--name=array", "-n nosuch", "-q high", "-q normal", "-q high,normal", "-t R", "-t PD", "-t R,PD", "-t running,pending", "-t CD",
    "-t F,CA", "-t completed", "-t CG", "-t TO", "-t all -u news", "-t all -p debug", "-t all -w gpu1", "-j 1", "-j 1,2,3",
    "-j {steps},{typed}", "-j {array}", "-j {array}_0", "-j {array}_0,{array}_1", "-j {full},{behind}", "-j {good}", "-j {good} -t all",
    "-j {held} -t R", "-u news -p main -t R", "-A bio -t PD", "-u games -A physics -q high", "--me", "-R nosuch", "-L nosuch", "-r",
    "--array", "-r -u news", "-r -h -t PD", "-a", "--all", "-h -t PD", "--noheader -u games -t PD", "-u games -S i", "-u games -S -i",
    "-u games -S j", "-u games -S -j", "-u games -S u,-i", "-u games -S P,i", "-u games -S t,i", "-u games -S -t,-i", "-u games -S C,i",
    "-u games -S -C,i", "-u games -S D,i", "-u games -S l,i", "-u games -S -l,i", "-t R -S N,i", "-u games -S U,-i", "-u games -S -Q,i",
    "-t R --sort=S,i", "-l -u games", "-l -h -t PD", "-l -t all -p main", "-s -u games", "-s -j {steps}", "-s -l", "-s {steps}.1",
    "-s {steps}.99", "--start -u games", "--start -j {full}", "--start -h", "-o %10i%8u", "-o %.3j", "-o %i,%j", "-o jobs:%i",
    "-o %18i-%9P.", "-O JobID:8,Name:10,UserName:.6", "-O JobID", "-O JobID,Name -h", "-O JobID:.20,State:12", "-O Name:3",
    "-u games -S i -O JobID:6,Partition:10,StateCompact:4,TimeLimit:12,NumCPUs:6,NumNodes:6,ReasonList:30", "-j {array}_3",
    "-j {array}_2,{array}_4", "-j {steps}_1", "-o %.10i|%.5P|%12j|%.2t", "-s -o %i_%j_%N_%P_%u_%A", "-j {steps}.1", "-t all -u news -O JobID:8,exit_code:12",
]

SINFO = [
    "-p main", "-p debug", "-p main,debug", "-n gpu1", "-n gpu[1-2]", "-n gpu3,gpu4 -N", "-t idle", "-t alloc", "-t mix",
    "-t mixed,allocated", "-t down", "-t drain", "-t idle -N", "-t all", "-N -p main", "-N -p debug", "-N -h", "-h", "-a", "-e", "-r", "-d",
    "-s -p main", "-s -h", "-R -l", "-R -h", "-l -p debug", "-l -N -p debug", "-l -h", "-e -l", "-e -N", "-T -h", "-p main -S N -N",
    "-p main -S -N -N", "-S P", "-S -P", "-p main -S t,N -N", "-o %P", "-o %N|%t|%G -N", "-o %20N%5D", "-o %D/%F", "-o %C -p debug",
    "-o %G", "-o %f", "-o %N_%T", "-O NodeList:20,StateLong:10", "-O Partition,Nodes,CPUs", "-N -O NodeList:20,CPUsState:16",
    "-O PartitionName:12,Time:14,DefaultTime:14", "-O Gres:30,GresUsed:40 -N", "-O CPUsState", "--noheader -o %P", "-o %.10P|%8t|%N",
    "-t down -o %D_%t", "-h -t down -o %N", "-t alloc,idle -N", "-t alloc -o %D", "-o %c_%m_%D", "-o %l_%N", "-o %P_%D -p debug",
    "-h -o %C", "-h -o %F/%C", "-N -o %N_%t", "-p debug -o %N_%P", "-r -o %D", "-t allocated -h -o %N", "-s -o %P_%F",
]

SACCT = [
    "-a -X -n -o JobID,State", "-a -X -P -o JobID,JobName,User", "-X -u games -o JobID%10,JobName%12,State",
    "-X -u news -o JobID,JobName,State%12", "-X -u games,news -P -o JobID,User", "-a -X -A bio -P -o JobID,Account",
    "-a -X -A physics -P -o JobID,Account", "-a -X -r debug -P -o JobID,Partition", "-a -X -r main -P -o JobID,Partition",
    "-a -X -q high -P -o JobID,QOS", "-a -X -s CD -S now-1hour -E now -P -o JobID,State",
    "-a -X -s F -S now-1hour -E now -P -o JobID,State,ExitCode", "-a -X -s CA -S now-1hour -E now -P -o JobName,State",
    "-a -X -s R -P -o JobID,State", "-a -X -s PD -P -o JobName,State", "-a -X -s TO -S now-1hour -E now -P -o JobID",
    "-a -X --name=typed -P -o JobID,JobName", "-a -X --name=good,bad -P -o JobID,JobName,ExitCode", "-a -X -N gpu2 -P -o JobID,NodeList",
    "-a -X -N gpu[3-4] -P -o JobName,NodeList", "-j {steps} -P -o JobID,JobName", "-j {steps}.0 -P -o JobID,State,ExitCode",
    "-j {steps}.1 -P -o JobID,State,ExitCode", "-j {steps},{bad} -X -P -o JobID,State", "-j {good} -P -o JobID,State,ExitCode",
    "-j {good} -b", "-j {bad} -b", "-j {bad} -b -n", "-j {bad} -X -p", "-j {bad} -X -P --delimiter=; -o JobID,State",
    "-j {memory} -X -P --units=G -o JobID,ReqMem", "-j {memory} -X -P --units=M -o JobID,ReqMem",
    "-j {memory} -X -P --noconvert -o JobID,ReqMem", "-j {typed} -X -P -o JobID,AllocTRES,ReqTRES",
    "-j {killed} -P -o JobID,State,ExitCode,DerivedExitCode", "-j {cancelled} -X -P -o JobID,State",
    "-j {dropped} -X -P -o JobID,State,Elapsed", "-j {good},{bad},{killed} -X -o JobID%6,JobName%-10,State%15,ExitCode",
    "-j {two} -X -o NodeList%20,NNodes,AllocCPUS", "-a -X -i 2-4 -P -o JobName,NNodes", "-a -X -I 32-64 -P -o JobName,NCPUS",
    "-a -X -k 2:00:00 -K 4:00:00 -P -o JobName,Timelimit", "-j 99999 -P", "-j {steps} -X -n", "-S now+1day -a",
]

SCONTROL = [
    "show hostnames gpu[01-03]", "show hostnames a[1-2]b[3-4]", "show hostnames n[1-3,5],m2", "show hostnames x",
    "show hostlist a1,a2,a3,b5", "show hostlist gpu3,gpu1,gpu2", "show hostlistsorted gpu3,gpu1,gpu2", "show hostlist n01,n02,n3",
    "show hostlist n9,n10,n11", "show hostlist x", "show licenses", "show reservations", "show reservation nosuch", "show topology",
    "show burstbuffer", "show federation", "show aliases", "show daemons", "version", "completing", "show step {steps}.99",
    "show step {good}.0",
]

SACCTMGR = [
    "show qos format=name,priority", "-n show qos format=name", "-P show qos format=name,flags", "-p show qos format=name%20,maxwall",
    "list qos high format=name,priority", "show qos where name=high format=name,priority", "show qos nosuch format=name",
    "show account format=account,descr,org", "-P show account", "-n list account physics", "show account nosuch",
    "show account physics withassoc format=account,user,share", "show account bio -P withassoc format=account,user,fairshare",
    "show user games,news format=user,defaultaccount,admin", "-n list user games", "show user nosuch",
    "show user games withassoc format=user,account,qos,share", "show user news -P withassoc format=user,account,partition,qos,defaultqos",
    "show assoc account=bio,physics format=account,user,share",
    "-P show associations account=bio,physics format=cluster,account,user,parentname", "-P show assoc account=bio format=account,user",
    "-P show assoc user=games format=account,user,qos", "show cluster format=cluster,share", "-P show cluster format=cluster",
    "show nosuch", "show", "show qos format=nosuch", "show user format=nosuch", "-P show user games,news",
    "show assoc user=news format=account,user,qos%30", "-n show user games format=user%-12,admin",
]

OTHERS = [
    "sprio", "sprio -h", "sprio -l", "sprio -w", "sprio -n", "sprio -u games", "sprio -j {full}", "sprio -o %i_%Q", "sprio --nosuch",
    "sattach", "sattach abc", "sattach 99999.0", "sstat", "sstat -j abc", "sstat -n -j 99999", "sstat -o nosuch -j {steps}", "sinfo -o %q",
    "squeue -S nosuch", "squeue -O nosuch", "squeue -w nosuch", "squeue -A", "squeue -i abc", "squeue -M nosuch", "sinfo -O nosuch",
    "sinfo -i abc", "sinfo -S nosuch", "sinfo -M nosuch", "sacct -E nosuch", "sacct -u nosuchuser", "sacct -g nosuchgroup",
    "sacct -r nosuch -n", "sacct -k abc", "sacct -N nosuch -n", "sacct -i abc", "sacct -T -j {good} -X -P -o JobID",
    "sacct -D -j {good} -X -P -o JobID,State", "sacct -c -P", "sacct -q nosuch -n",
]

# What `scontrol` shows as KEY=VALUE, by other spellings: command, kind, name.
RECORDS = [
    ("-o show job {typed}", "job", "typed"), ("show job {two} -o", "job", "two"), ("show jobid {whole}", "job", "whole"),
    ("show job={memory}", "job", "memory"), ("show JobId={gpus}", "job", "gpus"), ("-d show jobid {percpu}", "job", "percpu"),
    ("-o show node gpu1", "node", "gpu1"), ("show node=gpu2", "node", "gpu2"), ("show NodeName=gpu3 -o", "node", "gpu3"),
    ("-o show partition debug", "partition", "debug"), ("show partition=main", "partition", "main"), ("show part debug", "partition", "debug"),
    ("show steps {steps}.2", "step", "steps"), ("-o show step {steps}.2", "step", "steps"),
]


def outputs_differ(slurm, berth, command, counted, user=None):
    """Exit code, what is wrong, and the lines that it prints."""
    counted.append(command)
    name = command.format(**{key: f"<{key}>" for key in slurm.ids})
    codes, errors, texts = [], [], []
    for side in (slurm, berth):
        done = side.cluster.run(*(part.format(**side.ids) for part in command.split(" ")), user=user)
        codes.append(str(done.returncode))
        errors.append(side.plain(done.stderr).rstrip("\n"))
        texts.append(side.plain(done.stdout))
    yield Field("query", name, "exit code", *codes)
    yield Field("query", name, "stderr", *errors)
    sorted_by_it = any(word in command for word in (" -S ", "--sort", "scontrol"))
    for field in text_differs(name.split(" ")[0], *texts, ordered=sorted_by_it):
        yield Field(f"query {field.command}", name, field.field, field.slurm, field.berth, field.head)


def column_differs(slurm, berth, command, field, counted, form=None):
    """A column beside what names the row."""
    counted.append(command)
    texts = []
    for side in (slurm, berth):
        done = side.cluster.run(*command.split(" "))
        head, _, rows = side.plain(done.stdout + done.stderr).partition("\n")
        rows = re.sub(r"\|$", "", rows, flags=re.M)  # The end of the last column.
        texts.append(f"NAME|{head.split('|')[1] if '|' in head else head}\n{rows}")
    yield from table_differs(field, *texts, "NAME", form)


def compare_queries(slurm, berth, counted, records):
    """`records`: compares those of RECORDS; the caller knows what 25.11 shows more of a job."""
    for program, lines in (("squeue", SQUEUE), ("sinfo", SINFO), ("sacct", SACCT), ("scontrol", SCONTROL), ("sacctmgr", SACCTMGR), ("", OTHERS)):
        for line in lines:
            yield from outputs_differ(slurm, berth, f"{program} {line}".strip(), counted)
    for command, kind, name in RECORDS:
        yield from records(f"scontrol {command}", kind, name)
    for field in sorted(long_fields("squeue") - STEP_COLUMNS):
        yield from column_differs(slurm, berth, f"squeue -t all -O Name:-,ArrayTaskID:|,{field}:|", f"squeue -O {field}", counted, newer.squeue)
    for field in sorted(long_fields("sinfo") - {"All"}):
        yield from column_differs(slurm, berth, f"sinfo -N -O NodeList:-,PartitionName:|,{field}:|", f"sinfo -O {field}", counted)
