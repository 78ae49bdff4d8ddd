import { rules } from './rules.ts';

export const APPROVAL_RULES = [
  ...rules('decisions 20', 'approvals', {
    'approvals.routes':
      'POST and GET /v1/approvals, GET /v1/approvals/:id and POST /:id/resolve exist, with the statuses of the list.',
    'approvals.once': 'An approval is resolved once; a later answer is 409 with the first name.',
    'approvals.hash': 'An answer names the hash of what was shown; another hash is 409.',
    'approvals.expiry':
      'What nobody answers is denied when its time is over, also when no server was up then.',
    'approvals.roles': 'Who may write sees approvals; the role that is named answers them.',
    'approvals.question': 'The answer to a question is a text.',
    'approvals.agent-asks':
      'A question of the built-in agent is asked at the terminal and on the server, and the first answer counts; without a terminal it waits only with approve: [question].',
    'approvals.other-person':
      'Where a team wants it, another person than the author approves changes; at a terminal it is advice.',
    'approvals.denied':
      'A stream that is denied is skipped with denied: true; its dependents are blocked, the run fails and says who denied what.',
    'approvals.acts-on-hash':
      'The process that acts compares the hash of what was approved with what it is about to do.',
    'approvals.plan': 'approve: [plan] asks before the first call of a run.',
    'reviews.files':
      'A review has the combined difference file by file; it opens when all have come.',
    'reviews.draft': 'What a reader says survives reloads and other tabs; it is merged key by key.',
    'reviews.submit': 'A review is submitted once, as one event, with all decisions and comments.',
    'reviews.held':
      'Changes of a stream wait for the reader; what was accepted is written, and nothing else.',
    'requests.fixed':
      'millrace pr fix does what writers and failed checks ask for on a request in one round, pushes it and answers once; others start nothing.',
    'reviews.held-round':
      'Where a reader asks for changes before they are written, only commented files are made again; the rest stays as it was left.',
    'reviews.in-browser':
      'millrace review --review-in web waits for what is decided in the browser and carries it out once, also after a kill.',
    'reviews.of-executions':
      'What an execution has made is looked through by hunk before it is written, or after: what is accepted is written once, in one transaction.',
    'reviews.rounds':
      'Decisions about hunks that are the same hold in the next round; comments are carried and marked when outdated.',
    'approvals.resumed':
      'A command that was killed while it waited finds the answer when it is resumed, and pays for nothing twice.',
    'approvals.mail':
      'Those who want it and may answer get mail with titles and a link, at most one at a time for many questions.',
    'approvals.desktop-notices':
      'Where the person has turned it on, one tab notifies them of a new question while none is in view.',
    'approvals.assistants':
      'Assistants list and show approvals and put them to the user; an answer is the words of the user alone.',
    'approvals.export':
      'The export of a team has its approvals, their answers and what was reviewed.',
    'approvals.events': 'approval.requested and approval.resolved are webhook events.',
  }),
];
