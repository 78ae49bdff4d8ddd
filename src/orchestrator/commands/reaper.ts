// A process between us and a command that whatever the command leaves behind falls back to. Linux
// hands orphans to the nearest "child subreaper" above them, so a daemon cannot get away by leaving
// the process group, the session or its environment. Node cannot ask for that; Perl can, takes two
// milliseconds to start and is on nearly every Linux. Where it is not, `process-tree` finds what
// carries our mark.
import { spawnSync } from 'node:child_process';

const PERL = '/usr/bin/perl';
/** The number of the system call `prctl`. */
const PRCTL: Partial<Record<string, number>> = { x64: 157, arm64: 167 };

// Says on descriptor 3 how the command ended, then ends what is left: politely first, by force after
// a grace. SIGTERM asks for the same while the command runs, SIGINT for force at once. When we die
// the kernel sends the SIGTERM.
const SCRIPT = String.raw`
use strict;
use Fcntl;
my ($prctl, $parent, $grace, $command) = @ARGV;
syscall($prctl + 0, 36, 1, 0, 0, 0) == 0 or exit 1;
syscall($prctl + 0, 1, 15, 0, 0, 0);
exit 1 if getppid() != $parent;
open(my $report, '>&=', 3) or exit 1;
fcntl($report, F_SETFD, FD_CLOEXEC);
open(STDERR, '>&', \*STDOUT) or exit 1;
my $force = 0;
my $asked = 0;
my $waiting = 0;
# Perl waits again after a signal, unless the handler leaves.
$SIG{TERM} = sub { $asked = 1; die if $waiting };
$SIG{INT} = sub { $asked = 1; $force = 1; die if $waiting };
$SIG{HUP} = $SIG{PIPE} = 'IGNORE';
my $main = fork();
exit 1 unless defined $main;
if ($main == 0) {
  $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP PIPE);
  exec { '/bin/sh' } 'sh', '-c', $command;
  exit 127;
}
sub reap {
  my ($pid) = @_;
  return if !defined $main || $pid != $main;
  syswrite($report, "$?\n");
  close($report);
  undef $main;
}
sub descendants {
  my %parent;
  opendir(my $proc, '/proc') or return;
  for my $pid (grep { /^[0-9]+$/ } readdir $proc) {
    open(my $file, '<', "/proc/$pid/stat") or next;
    my $stat = <$file>;
    next unless defined $stat;
    my ($state, $above) = split ' ', substr($stat, rindex($stat, ')') + 2);
    $parent{$pid} = $above unless $state eq 'Z' || $state eq 'X';
  }
  my %found = ($$ => 1);
  my $count = 0;
  while ($count != keys %found) {
    $count = keys %found;
    $found{$_} = 1 for grep { $found{$parent{$_}} } keys %parent;
  }
  delete $found{$$};
  return keys %found;
}
while (defined $main && !$asked) {
  eval { $waiting = 1; my $pid = waitpid(-1, 0); $waiting = 0; reap($pid) if $pid > 0 };
  $waiting = 0;
}
my $deadline = time + $grace;
my %signalled;
while (1) {
  my $pid;
  while (($pid = waitpid(-1, 1)) > 0) { reap($pid) }
  last if $pid < 0;
  my @left = descendants();
  if ($force || time > $deadline) { kill 'KILL', @left }
  else {
    # Each once: one that was just started gets the signal as well, and none gets it twice.
    my @new = grep { !$signalled{$_}++ } @left;
    kill 'TERM', @new;
    kill 'CONT', @new;
  }
  select(undef, undef, undef, 0.02);
}
`;

let isKnown: boolean | undefined;

/** Whether there is one here; asked once. */
export function hasReaper(): boolean {
  const prctl = PRCTL[process.arch];
  if (process.platform !== 'linux' || prctl === undefined) return false;
  isKnown ??=
    spawnSync(PERL, ['-e', `exit(syscall(${prctl}, 36, 1, 0, 0, 0) == 0 ? 0 : 1)`]).status === 0;
  return isKnown;
}

export function reaperArguments(command: string, graceSeconds: number): [string, string[]] {
  const numbers = [PRCTL[process.arch], process.pid, graceSeconds].map(String);
  return [PERL, ['-e', SCRIPT, ...numbers, command]];
}
