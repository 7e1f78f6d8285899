import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  comfyuiChangeSettings,
  comfyuiDeleteUserData,
  comfyuiListUserData,
  comfyuiListUserFolders,
  comfyuiMoveUserData,
  comfyuiReadUserData,
  comfyuiSetSetting,
  comfyuiSetting,
  comfyuiSettings,
  comfyuiUsers,
  comfyuiWriteUserData,
} from '@switchyard/contract/doors/comfyui';
import { isRecord } from '@switchyard/contract/is-record';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentFacts } from '../../dispatch/documents/user-document-store.ts';
import type { UserDocuments } from '../../dispatch/documents/user-documents.ts';
import { identityOf } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import { parseJson } from '../../http/body/body-parsers.ts';
import { contentTypeOf } from '../../platform/files/content-type.ts';
import { comfyuiRoute, malformed } from './comfyui-endpoint-routes.ts';
import { readFileName } from './comfyui-names.ts';

interface UserDataOptions {
  documents: UserDocuments;
  admission: Pick<Admission, 'readBody'>;
}

/** The path under which ComfyUI itself keeps the settings of a user. */
const settingsPath = 'comfy.settings.json';
/** The page makes no longer paths. */
const maxPathLength = 400;

/**
 * The routes for the data that the page of ComfyUI stores for its user: settings, and files such as saved workflows.
 * Bodies arrive as they were sent.
 */
export function userDataRoutes({ documents, admission }: UserDataOptions): Routes {
  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (request: FastifyRequest, body: IncomingMessage) =>
      admission.readBody(request, body),
    );
    // The account decides whose data it is, so a client sees one user.
    app.route(comfyuiRoute(comfyuiUsers, async () => ({ storage: 'server', migrated: true })));
    addSettings(app, documents);
    addLists(app, documents);
    addFiles(app, documents);
  };
}

function addSettings(app: App, documents: UserDocuments): void {
  const settingsOf = async (request: FastifyRequest) =>
    read((await documents.read(identityOf(request).userId, settingsPath))?.content);
  const change = async (request: FastifyRequest, reply: FastifyReply, changed: Record<string, unknown>) => {
    await documents.change(identityOf(request).userId, settingsPath, (present) =>
      JSON.stringify({ ...read(present), ...changed }, null, 4),
    );
    return reply.code(200).send();
  };

  app.route(comfyuiRoute(comfyuiSettings, settingsOf));

  app.route(
    comfyuiRoute(comfyuiSetting, async (request, reply) => {
      const { id } = request.params as { id: string };
      const settings = await settingsOf(request);
      const value = Object.hasOwn(settings, id) ? settings[id] : null;
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(value));
    }),
  );

  app.route(
    comfyuiRoute(comfyuiChangeSettings, async (request, reply) => {
      const changed = parseJson(bytesOf(request));
      if (!isRecord(changed)) throw malformed('The body must be an object of settings.');
      return change(request, reply, changed);
    }),
  );

  app.route(
    comfyuiRoute(comfyuiSetSetting, async (request, reply) => {
      const { id } = request.params as { id: string };
      if (id === '__proto__') throw malformed('A setting cannot have this name.');
      const value = parseJson(bytesOf(request));
      if (value === undefined) throw malformed('The body must be the value of the setting as JSON.');
      return change(request, reply, { [id]: value });
    }),
  );
}

function addLists(app: App, documents: UserDocuments): void {
  app.route(
    comfyuiRoute(comfyuiListUserData, async (request, reply) => {
      const { dir, recurse, full_info: fullInfo, split } = request.query as Record<string, unknown>;
      if (typeof dir !== 'string' || dir === '') throw malformed('Directory not provided');
      const folder = folderIn(dir);
      if (folder === null) return reply.code(403).type(plain).send('403: Invalid directory');
      const found = await documents.list(identityOf(request).userId, folder);
      if (found.length === 0 && folder !== '')
        return reply.code(404).type(plain).send('404: Directory not found');
      const inside = found.map((facts) => ({
        ...facts,
        path: folder === '' ? facts.path : facts.path.slice(folder.length + 1),
      }));
      const wanted = isTrue(recurse) ? inside : inside.filter(({ path }) => !path.includes('/'));
      if (isTrue(fullInfo)) return wanted.map(infoOf);
      return wanted.map(({ path }) => (isTrue(split) ? [path, ...path.split('/')] : path));
    }),
  );

  app.route(
    comfyuiRoute(comfyuiListUserFolders, async (request, reply) => {
      const { path = '' } = request.query as Record<string, unknown>;
      const folder = typeof path === 'string' ? folderIn(path) : null;
      if (folder === null) return reply.code(403).type(plain).send('403: Invalid path');
      const found = await documents.list(identityOf(request).userId, folder);
      if (found.length === 0 && folder !== '')
        return reply.code(404).type(plain).send('404: Directory not found');
      const folders = new Set(found.flatMap((facts) => foldersOf(facts.path, folder)));
      return [
        ...[...folders].map((each) => ({ name: lastOf(each), path: each, type: 'directory' })),
        ...found.map((facts) => ({ name: lastOf(facts.path), type: 'file', ...infoOf(facts) })),
      ];
    }),
  );
}

function addFiles(app: App, documents: UserDocuments): void {
  app.route(
    comfyuiRoute(comfyuiReadUserData, async (request, reply) => {
      const path = pathIn(request, 'file');
      if (path === null) return refusePath(reply);
      const document = await documents.read(identityOf(request).userId, path);
      if (!document) return reply.code(404).type(plain).send('404: Not Found');
      const { contentType } = contentTypeOf(Buffer.from(document.content.slice(0, 64)), path);
      return reply.type(isShownType(contentType) ? contentType : plain).send(document.content);
    }),
  );

  app.route(
    comfyuiRoute(comfyuiWriteUserData, async (request, reply) => {
      const path = pathIn(request, 'file');
      if (path === null) return refusePath(reply);
      const { overwrite, full_info: fullInfo } = request.query as Record<string, unknown>;
      const document = { path, content: textIn(request), overwrite: overwrite !== 'false' };
      const written = await documents.write(identityOf(request).userId, document);
      if (!written) return reply.code(409).type(plain).send('409: File already exists');
      return sendFacts(reply, written, fullInfo);
    }),
  );

  app.route(
    comfyuiRoute(comfyuiMoveUserData, async (request, reply) => {
      const [from, to] = [pathIn(request, 'file'), pathIn(request, 'dest')];
      if (from === null || to === null) return refusePath(reply);
      const { overwrite, full_info: fullInfo } = request.query as Record<string, unknown>;
      const moved = await documents.move(identityOf(request).userId, {
        from,
        to,
        overwrite: overwrite !== 'false',
      });
      if (moved === 'absent') return reply.code(404).type(plain).send('404: Not Found');
      if (moved === 'present') return reply.code(409).type(plain).send('409: File already exists');
      return sendFacts(reply, moved, fullInfo);
    }),
  );

  app.route(
    comfyuiRoute(comfyuiDeleteUserData, async (request, reply) => {
      const path = pathIn(request, 'file');
      if (path === null) return refusePath(reply);
      if (await documents.delete(identityOf(request).userId, path)) return reply.code(204).send();
      return reply.code(404).type(plain).send('404: Not Found');
    }),
  );
}

const plain = 'text/plain; charset=utf-8';

function refusePath(reply: FastifyReply): FastifyReply {
  return reply.code(403).type(plain).send('403: The path leads out of the folder, or is too long.');
}

function sendFacts(reply: FastifyReply, facts: DocumentFacts, fullInfo: unknown): FastifyReply {
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(isTrue(fullInfo) ? infoOf(facts) : facts.path));
}

/** The times are numbers, as ComfyUI writes them. */
function infoOf({ path, size, createdAt, modifiedAt }: DocumentFacts) {
  return { path, size, modified: Date.parse(modifiedAt), created: Date.parse(createdAt) };
}

/** Returns null for a text that cannot be the path of a file. */
function pathIn(request: FastifyRequest, name: 'file' | 'dest'): string | null {
  const { [name]: given = '' } = request.params as Record<string, string>;
  const read = readFileName(given, { folder: 'input' });
  if (!read || given.length > maxPathLength || given.endsWith('/') || hasControls(given)) return null;
  return read.subfolder === '' ? read.filename : `${read.subfolder}/${read.filename}`;
}

/** Returns null for a text that cannot be a folder, and an empty text for all of the user's data. */
function folderIn(given: string): string | null {
  if (/^\.?\/?$/.test(given)) return '';
  const read = readFileName(given, { folder: 'input' });
  if (!read || given.length > maxPathLength || hasControls(given)) return null;
  return read.subfolder === '' ? read.filename : `${read.subfolder}/${read.filename}`;
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** The folders between `folder` and the file, the outermost first. */
function foldersOf(path: string, folder: string): string[] {
  const start = folder === '' ? 0 : folder.length + 1;
  const parts = path.slice(start).split('/').slice(0, -1);
  return parts.map((_, index) => path.slice(0, start) + parts.slice(0, index + 1).join('/'));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isTrue(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase() === 'true';
}

/** A text that a browser would run is sent as plain text. */
function isShownType(contentType: string): boolean {
  return /^(application\/json|text\/css)\b/.test(contentType);
}

function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function textIn(request: FastifyRequest): string {
  const bytes = bytesOf(request);
  if (!isUtf8(bytes) || bytes.includes(0)) throw malformed('Only texts in UTF-8 are stored.');
  return bytes.toString();
}

/** Settings that were written as a file may be anything; then there are none. */
function read(content: string | undefined): Record<string, unknown> {
  try {
    const settings: unknown = JSON.parse(content ?? '{}');
    return isRecord(settings) ? settings : {};
  } catch {
    return {};
  }
}
