// Where events are sent, and what is left to do at the forge.
import type { Trigger } from '../../../src/contract/trigger-api.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { plural } from '../../ui/format.ts';
import { Card, CardHead } from '../../ui/surface.tsx';
import { Ago } from '../../ui/time.tsx';
import { KIND_WORDS, choiceOf } from './event-words.ts';
import type { Forge } from './event-words.ts';

/** Nothing outside can reach these. */
function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(hostname) ||
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname.endsWith('.localhost')
  );
}

function ForgeSteps({ trigger, forge }: { trigger: Trigger; forge: Forge }) {
  const choices = trigger.events.flatMap((event) => choiceOf(event, forge) ?? []);
  const isGithub = forge === 'github';
  return (
    <ol
      aria-label={`Steps at ${KIND_WORDS[forge]}`}
      className="flex list-decimal flex-col gap-1 pl-5 text-sm text-soft"
    >
      <li>
        In {isGithub ? 'the repository' : 'the project'}{' '}
        <span className="font-mono text-xs [overflow-wrap:anywhere]">{trigger.repository}</span>,
        open Settings, Webhooks, {isGithub ? 'Add webhook' : 'Add new webhook'}.
      </li>
      <li>
        {isGithub ? 'Payload URL' : 'URL'}: the URL above.
        {isGithub ? (
          <>
            {' '}
            Content type: <code className="text-xs">application/json</code>.
          </>
        ) : null}
      </li>
      <li>
        {isGithub ? 'Secret' : 'Signing token, or Secret token in versions that have no other'}: the
        secret that was shown when the trigger was made. If you do not have it, rotate it.
      </li>
      <li>Choose these events: {choices.join('; ')}.</li>
    </ol>
  );
}

function Refused({ count, lastAt }: { count: number; lastAt: string }) {
  return (
    <p className="text-sm text-warn">
      {plural(count, 'call')} did not show the secret, the last{' '}
      <Ago time={lastAt} className="whitespace-nowrap" />. Set it where the call is made.
    </p>
  );
}

export function SetUp({ trigger }: { trigger: Trigger }) {
  const { kind, url, refused } = trigger;
  return (
    <Card>
      <CardHead title="Set up" />
      <div className="flex flex-col gap-3 p-4">
        <CopyBlock text={url} label="URL of the trigger" />
        {kind !== 'url' && isLocal(url) ? (
          <p className="text-sm text-warn">
            {KIND_WORDS[kind]} may not reach this address. Set MILLRACE_PUBLIC_URL of the server to
            one that it reaches.
          </p>
        ) : null}
        {kind === 'url' ? (
          <p className="text-sm text-soft">
            Call it by POST with <code className="text-xs">Authorization: Bearer</code> and its
            token, or with the token as the last part of the path. The body may have values, such as{' '}
            <code className="text-xs">{'{"values":{"env":"prod"}}'}</code>.
          </p>
        ) : (
          <ForgeSteps trigger={trigger} forge={kind} />
        )}
        {refused.count === 0 || refused.lastAt === null ? null : (
          <Refused count={refused.count} lastAt={refused.lastAt} />
        )}
      </div>
    </Card>
  );
}
