// Who calls the model endpoint: an API key or the token of a stream, where that vendor's clients put a credential.
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/errors.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import type { Caller } from '../../gateway/caller.ts';
import { checkRole, checkScope } from '../../services/access.ts';
import type { IdentityService } from '../../services/identity.ts';
import type { StreamTokenService } from '../../services/runs/stream-tokens.ts';
import { teamIdOf } from '../access.ts';

function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(',') : value) || undefined;
}

/** Some clients of a vendor send a key, others a token. */
export function credentialOf(
  request: FastifyRequest,
  provider: PublicProvider,
): string | undefined {
  switch (provider) {
    case 'anthropic':
      return headerOf(request, 'x-api-key') ?? bearerOf(request);
    case 'google':
      return headerOf(request, 'x-goog-api-key') ?? bearerOf(request);
    case 'openai':
    case 'openrouter':
      return bearerOf(request);
  }
}

export interface CallerDeps {
  identities: IdentityService;
  streamTokens: StreamTokenService;
  tiers: Tiers;
}

export async function callerOf(
  deps: CallerDeps,
  request: FastifyRequest,
  provider: PublicProvider,
): Promise<Caller & { requestsPerMinute: number | null }> {
  const credential = credentialOf(request, provider);
  if (credential === undefined) {
    const where = { anthropic: 'x-api-key', google: 'x-goog-api-key' } as Record<string, string>;
    const message = `A credential is missing. Send an API key of this server as ${where[provider] ?? 'Authorization: Bearer'}.`;
    throw new ServiceError('UNAUTHORIZED', message);
  }
  if (deps.streamTokens.isToken(credential)) {
    const { tier, tokenId, runId, streamId, models, ...who } =
      await deps.streamTokens.bearer(credential);
    const { runsPerMonth, concurrentJobs } = deps.tiers[tier];
    const stream = { tokenId, runId, streamId, models };
    return { ...who, runsPerMonth, concurrentJobs, stream, requestsPerMinute: null };
  }
  const identity = await deps.identities.authenticate({
    apiKey: credential,
    sessionToken: undefined,
    teamId: teamIdOf(request),
  });
  if (identity.credential.kind !== 'key') {
    throw new ServiceError(
      'UNAUTHORIZED',
      'Send an API key of this server, with the scope "models".',
    );
  }
  checkScope(identity, 'models');
  checkRole(identity.role, 'write');
  const { runsPerMonth, concurrentJobs } = deps.tiers[identity.tier];
  return {
    userId: identity.userId,
    teamId: identity.teamId,
    apiKeyId: apiKeyIdOf(identity),
    runsPerMonth,
    concurrentJobs,
    stream: undefined,
    requestsPerMinute: identity.requestsPerMinute,
  };
}
