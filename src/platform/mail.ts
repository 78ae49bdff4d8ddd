// Mail by SMTP. A message is sent once; whether to try again is for others to decide.

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Rejects when the mail server does not take it. */
  send(mail: Mail): Promise<void>;
}

/** A server that says nothing is given up on after these, one after the other. */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
};

/** The mail server works, and does not know this mailbox. */
export function isAboutRecipient(error: unknown): boolean {
  return (error as { code?: string }).code === 'EENVELOPE';
}

/** Whether another attempt may help: anything but a plain no. */
export function mayComeThrough(error: unknown): boolean {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  if (responseCode !== undefined) return responseCode < 500;
  return code !== 'EAUTH' && code !== 'EENVELOPE';
}

export function createMailer(settings: {
  url: string;
  from: { name: string; address: string };
  timeouts?: Partial<typeof TIMEOUTS>;
}): Mailer {
  return {
    async send({ to, subject, text, html }) {
      // Loaded when the first mail is sent: most servers send none.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        url: settings.url,
        ...TIMEOUTS,
        ...settings.timeouts,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        // As data, not as text: whatever is in an address or a name stays in its place.
        await transport.sendMail({
          from: settings.from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } finally {
        transport.close();
      }
    },
  };
}
