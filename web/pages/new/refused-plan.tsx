// Why there is no plan, and the way to what is missing.
import { Link } from '@tanstack/react-router';
import { MillraceError } from '../../../src/client/index.ts';

interface Detail {
  code?: string;
  message?: string;
}

/** Of a request that was refused, or of an execution that ended without a plan. */
export type Refusal = Error | { code: string; message: string };

function detailsOf(error: Refusal): Detail[] {
  const details = error instanceof MillraceError ? error.details : undefined;
  return Array.isArray(details) ? (details as Detail[]) : [];
}

const WAYS = [
  {
    codes: ['NO_PROVIDER_KEY', 'PROVIDER_AUTH', 'PROVIDER_PERMISSION'],
    page: 'provider-keys',
    label: 'Open provider keys',
  },
  { codes: ['QUOTA_EXCEEDED', 'BUDGET_EXCEEDED'], page: undefined, label: 'Open usage and budget' },
] as const;

/** The page on which what is missing can be put right. */
export function wayOf(error: Refusal): (typeof WAYS)[number] | undefined {
  const own = 'code' in error ? [error.code] : [];
  const codes = [...own, ...detailsOf(error).map(({ code }) => code)];
  return WAYS.find((way) => way.codes.some((code) => codes.includes(code)));
}

export function RefusedPlan({ error }: { error: Refusal }) {
  const way = wayOf(error);
  const reasons = detailsOf(error).flatMap(({ message }) => message ?? []);
  const className = 'font-medium underline';
  return (
    <p role="alert" className="rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">
      {[error.message, ...reasons.filter((each) => !error.message.includes(each))].join(' ')}{' '}
      {way?.page ? (
        <Link to="/settings/$" params={{ _splat: way.page }} className={className}>
          {way.label}
        </Link>
      ) : way ? (
        <Link to="/usage" className={className}>
          {way.label}
        </Link>
      ) : null}
    </p>
  );
}
