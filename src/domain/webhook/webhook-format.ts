// How an event is written for its receiver. A chat gets a message of its own kind, in which nothing of the event is markup.
import type { WebhookFormat } from '../../contract/webhook-api.ts';
import { noticeOf } from './event-notice.ts';
import type { Notice } from './event-notice.ts';

interface Message extends Notice {
  /** Where its link leads; undefined where nobody knows the address of the dashboard. */
  url: string | undefined;
}

/** Slack's three control characters: without them there are no links and no mentions. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function asSlack({ lead, title, facts, link, url }: Message): object {
  const plain = (text: string) => ({ type: 'plain_text', text: escaped(text), emoji: false });
  const label = link === undefined ? '' : escaped(link.text);
  return {
    // Of notifications, and where blocks are not shown.
    text: escaped([lead, title].filter(Boolean).join(': ')),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(lead) },
      ...(title === '' ? [] : [{ type: 'section', text: plain(title) }]),
      ...(facts.length === 0
        ? []
        : [
            {
              type: 'context',
              elements: facts.map(([name, value]) => plain(`${name}: ${value}`)),
            },
          ]),
      ...(url === undefined
        ? []
        : [{ type: 'section', text: { type: 'mrkdwn', text: `<${escaped(url)}|${label}>` } }]),
    ],
  };
}

/** Text blocks of a card are markdown; runs of a rich text block are not. */
function asTeams({ lead, title, facts, link, url }: Message): object {
  const rich = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      rich(lead, { weight: 'Bolder', size: 'Medium' }),
      ...(title === '' ? [] : [rich(title)]),
      ...facts.map(([name, value]) => rich(`${name}: ${value}`, { isSubtle: true })),
    ],
    ...(url !== undefined && { actions: [{ type: 'Action.OpenUrl', title: link?.text, url }] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

const CHATS = { slack: asSlack, teams: asTeams } as const;

/** `publicUrl`: where people reach the dashboard. */
export function formattedBody(
  format: WebhookFormat,
  body: string,
  publicUrl: string | undefined,
): string {
  if (format === 'millrace') return body;
  const notice = noticeOf(body);
  const base = publicUrl?.replace(/(?<!\/)\/+$/, '');
  const url = base === undefined || notice.link === undefined ? undefined : base + notice.link.path;
  return JSON.stringify(CHATS[format]({ ...notice, url }));
}
