100 cgroup a cpu.max 10000 1000000
150 cgroup a cgroup.procs rt-app
300 cgroup b cgroup.procs rt-app
