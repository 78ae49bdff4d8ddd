// Reads one resource, a page of it at a time.
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { SessionDeps, Workspace } from '../deps.ts';
import { ToolError, toToolError } from '../tool-error.ts';
import { pageUri, readUri } from './address.ts';
import type { Address, Asked } from './address.ts';
import type { Document } from './document.ts';
import { artifactDocument, executionDocument, planManifestDocument } from './executions.ts';
import { pageOf } from './page.ts';
import { manifestDocument, planDocument } from './project.ts';
import { diffDocument, runDocument } from './runs.ts';

function inWorkspace({ workspace }: SessionDeps): Workspace {
  if (workspace !== undefined) return workspace;
  throw new ToolError({ code: 'NOT_FOUND', message: 'There is no workspace here' });
}

async function documentAt(deps: SessionDeps, address: Address): Promise<Document> {
  switch (address.kind) {
    case 'manifest':
      return manifestDocument(inWorkspace(deps));
    case 'plan':
      return planDocument(inWorkspace(deps));
    case 'run':
      return runDocument(inWorkspace(deps), deps.clock);
    case 'diff':
      return diffDocument(inWorkspace(deps));
    case 'execution':
      return executionDocument(deps, address.id);
    case 'planManifest':
      return planManifestDocument(deps, address.id);
    case 'artifact':
      return artifactDocument(deps, address.id, address.index);
  }
}

/** The text as it is, and what to know about it as a text of its own. */
function contentsOf({ uri, from }: Asked, document: Document): ReadResourceResult['contents'] {
  const { mimeType, text, note } = document;
  const page = pageOf(text, from);
  const here = from === 0 ? uri : pageUri(uri, from);
  const contents = [{ uri: here, mimeType, text: page.text }];
  if (note !== undefined && from === 0) contents.push({ uri, mimeType: 'text/plain', text: note });
  if (page.next !== undefined) {
    const rest = pageUri(uri, page.next);
    const left = `${text.length - page.next} of ${text.length} characters left out.`;
    contents.push({ uri: rest, mimeType: 'text/plain', text: `${left} Read the rest: ${rest}` });
  }
  return contents;
}

/** Of what is not there, as opposed to what could not be asked. */
const ABSENT = new Set(['NOT_FOUND', 'RUN_NOT_FOUND']);

export async function readResource(deps: SessionDeps, uri: string): Promise<ReadResourceResult> {
  const asked = readUri(uri);
  if (asked === undefined) {
    throw new ResourceNotFoundError(
      uri,
      'There is no such resource. List them to see which there are.',
    );
  }
  try {
    const document = await documentAt(deps, asked.address);
    if (asked.from > 0 && asked.from >= document.text.length) {
      const message = `It has ${document.text.length} characters`;
      throw new ToolError({
        code: 'NOT_FOUND',
        message,
        hint: `Read ${asked.uri} from its start.`,
      });
    }
    return { contents: contentsOf(asked, document) };
  } catch (error) {
    const { code, message, retryable } = toToolError(error);
    if (ABSENT.has(code)) throw new ResourceNotFoundError(uri, message);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, {
      code,
      retryable,
    });
  }
}
