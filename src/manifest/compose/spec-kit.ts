// Task lists of spec-kit as a proposal, without a model: who works with spec-kit has planned already. A line is
// `- [ ] T012 [P] [US1] Create the model in src/shelf.ts`; phases are headings.
import { oneLine, readProposal } from './proposal.ts';
import type { ReadProposal } from './proposal.ts';

// Ids are sometimes bold, lists sometimes made with stars.
const TASK = /^ {0,3}[-*+] \[([ xX])\] \*{0,2}(T\d{1,6}[a-z]?)\*{0,2}:?[ \t](.+)$/;
const HEADING = /^(#{1,6})[ \t](.+)$/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const MARK = /^\[(P|US\d{1,4}|[A-Z][A-Za-z0-9-]{0,15})\][ \t]*/;
const FEATURE = /^tasks?:[ \t]*/i;

interface Task {
  id: string;
  text: string;
  isParallel: boolean;
  isDone: boolean;
  phase: number;
}

/** In order, with the lines below a task that are indented as part of it. */
function tasksIn(text: string): { tasks: Task[]; feature: string } {
  const tasks: Task[] = [];
  let feature = '';
  let phase = 0;
  let isFenced = false;
  let open: Task | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    if (isFenced || FENCE.test(line)) continue;
    const task = TASK.exec(line);
    const heading = HEADING.exec(line);
    if (task) tasks.push((open = readTask(task, phase)));
    else if (heading) {
      open = undefined;
      const level = heading[1]!;
      const title = heading[2]!.trim();
      if (level.length === 1 && feature === '') feature = title.replace(FEATURE, '');
      // Smaller headings only group the tasks of a phase.
      if (level.length <= 2 || /^phase\b/i.test(title)) phase += 1;
    } else if (open && /^[ \t]{2,}\S/.test(line)) open.text += `\n${line.trim()}`;
    else if (line.trim() !== '') open = undefined;
  }
  return { tasks, feature };
}

function readTask([, box, id, given]: RegExpExecArray, phase: number): Task {
  let text = given!.trim();
  let isParallel = false;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    if (mark[1] === 'P') isParallel = true;
    text = text.slice(mark[0].length);
  }
  return { id: id!, text, isParallel, isDone: box !== ' ', phase };
}

/** Whether a text has at least one task of spec-kit in it. */
export function isTaskList(text: string): boolean {
  return tasksIn(text).tasks.length > 0;
}

// With a folder, or a name with an ending: `package.json`. Plain sentences have neither.
const PATH = /^(?:[\w.@+[\]()-]+\/)*[\w.@+[\]()-]+\.[A-Za-z]\w{0,9}$|^(?:[\w.@+[\]-]+\/)+$/;
const ADDRESS = /^(?:[a-z]+:|www\.|\/)/i;
// `e.g`, `v1.x` and `Node.js` look like files.
const NO_FILE = /^(?:[\w.]{1,3}|v?\d[\w.]*|[A-Z]\w*\.(?:js|io|ai))$/;

/** Those with a folder; `data-model.md` beside one is what the task refers to, and the file itself when alone. */
function pathsIn(text: string): string[] {
  const words = text.split(/[\s`'"“”,;|，、。：；（）]+/).map((word) =>
    word
      .replace(/^[(<]/, '')
      .replace(/[.:!?>]$/, '')
      .replace(/^[^()]*\)$/, (whole) => whole.slice(0, -1)),
  );
  const paths = words.filter((word) => PATH.test(word) && !ADDRESS.test(word));
  const full = paths.filter((word) => word.includes('/'));
  return [...new Set(full.length > 0 ? full : paths.filter((word) => !NO_FILE.test(word)))];
}

interface Group {
  tasks: Task[];
  paths: Set<string>;
}

/** Tasks that name one file are one stream, whatever phases they are in; one without a path joins the one before. */
function groupsOf(tasks: readonly Task[]): Group[] {
  let groups: Group[] = [];
  let last: Group | undefined;
  for (const task of tasks) {
    const paths = pathsIn(task.text);
    const same = groups.filter((group) => paths.some((path) => group.paths.has(path)));
    if (paths.length === 0 && last !== undefined) {
      last.tasks.push(task);
      continue;
    }
    const group: Group = {
      tasks: [...same.flatMap((each) => each.tasks), task],
      paths: new Set([...same.flatMap((each) => [...each.paths]), ...paths]),
    };
    const at = same.length > 0 ? groups.indexOf(same[0]!) : groups.length;
    groups[at] = group;
    groups = groups.filter((each) => each === group || !same.includes(each));
    last = group;
  }
  // Tasks before the first path have nothing before them to join: they begin the first that has one.
  const [first, second, ...rest] = groups;
  if (first !== undefined && first.paths.size === 0 && second !== undefined) {
    return [{ tasks: [...first.tasks, ...second.tasks], paths: second.paths }, ...rest];
  }
  return groups;
}

/** Whether a task has to wait for one that comes before it in the list. */
function waits(task: Task, before: Task): boolean {
  return before.phase < task.phase || !task.isParallel;
}

const idOf = ({ tasks }: Group) => tasks[0]!.id.toLowerCase();

/**
 * A file that several phases change belongs to one stream, which would wait for others that wait for it. Streams
 * wait in the order of their first tasks only, so there are no circles.
 */
function depsOf(
  group: Group,
  groups: readonly Group[],
  place: ReadonlyMap<Task, number>,
): string[] {
  const placeOf = (task: Task) => place.get(task)!;
  const start = placeOf(group.tasks[0]!);
  return groups
    .filter(({ tasks }) => placeOf(tasks[0]!) < start)
    .filter(({ tasks }) =>
      group.tasks.some((task) =>
        tasks.some((before) => placeOf(before) < placeOf(task) && waits(task, before)),
      ),
    )
    .map(idOf);
}

const MAX_TEXT = 1024 * 1024;
const MAX_TASKS = 2_000;

/** Goes through the same rules as what a model proposes. */
export function readTaskList(text: string): ReadProposal {
  const { tasks, feature } = tasksIn(text.slice(0, MAX_TEXT));
  const left = tasks.filter(({ isDone }) => !isDone);
  if (text.length > MAX_TEXT || left.length > MAX_TASKS) {
    return {
      kind: 'invalid',
      problems: ['The task list is too long; give one feature at a time.'],
    };
  }
  if (tasks.length === 0) {
    return {
      kind: 'invalid',
      problems: ['No line is a task such as `- [ ] T001 Create the model in src/shelf.ts`.'],
    };
  }
  if (left.length === 0) {
    return { kind: 'invalid', problems: ['No task is left: all of them are done.'] };
  }
  const groups = groupsOf(left);
  const place = new Map(left.map((task, at) => [task, at]));
  const streams = groups.map((group) => {
    const first = group.tasks[0]!;
    return {
      id: idOf(group),
      name: oneLine(`${first.id} ${first.text}`, 120),
      plan: group.tasks.map(({ id, text: task }) => `${id}: ${task}`).join('\n'),
      owns: [...group.paths],
      deps: depsOf(group, groups, place),
    };
  });
  // Without a heading it has the name of what comes first.
  return readProposal({ feature: feature || oneLine(left[0]!.text, 120), streams });
}
