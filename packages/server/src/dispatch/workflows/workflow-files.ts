import { Readable } from 'node:stream';
import type {
  SavedWorkflowDetail,
  WorkflowExport,
  WorkflowParameter,
} from '@switchyard/contract/dispatch/workflow';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { contentTypeOf } from '../../platform/files/content-type.ts';
import { decodableTypes, openPicture } from '../../platform/pictures/picture-library.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { Thumbnails } from '../files/thumbnails.ts';
import type { ShownParameter } from './saved-workflow-parameters.ts';
import type { SavedWorkflows } from './saved-workflows.ts';

/** The longer side of a cover in a file, as a card of the console shows it. */
const coverEdge = 512;
/** Other programs may write larger ones; all of it is decoded while the import waits. */
const maxCoverEdge = 2_048;
const noSignal = new AbortController().signal;

/** Writes a version of a workflow as one file, and makes a workflow from such a file. */
export class WorkflowFiles {
  readonly #options;

  constructor(options: {
    workflows: Pick<SavedWorkflows, 'get' | 'create' | 'change'>;
    files: Pick<StoredFiles, 'selected' | 'requireRoom' | 'addOnce'>;
    thumbnails: Pick<Thumbnails, 'of'>;
  }) {
    this.#options = options;
  }

  async write(owner: Owner, workflowId: string, version?: number): Promise<WorkflowExport> {
    const workflow = await this.#options.workflows.get(owner, workflowId, version);
    const { name, description, notes, workflow: graph, parameters } = workflow;
    return {
      format: 'switchyard.workflow',
      formatVersion: 1,
      name,
      description,
      notes,
      workflow: graph,
      form: parameters.map(exportedField),
      cover: await this.#coverOf(owner, workflow),
    };
  }

  async read(userId: string, file: WorkflowExport, name = file.name): Promise<SavedWorkflowDetail> {
    const { workflows, files } = this.#options;
    const { description, notes, workflow } = file;
    requireDistinctNames(file.form);
    const picture = file.cover && (await pictureIn(file.cover));
    if (picture) await files.requireRoom(userId);
    const made = await workflows.create(userId, { name, description, notes, workflow }, file.form);
    if (!picture) return made;
    const { bytes, extension } = picture;
    // The name of the workflow would make a path of it; the store makes it harmless, and no node reads it.
    const { fileId } = await files.addOnce(userId, `Cover of ${made.name}${extension}`, {
      source: Readable.from([bytes]),
      signal: noSignal,
    });
    const { lostFields } = made;
    const covered = await workflows.change({ user: userId }, made.id, { coverFileId: fileId });
    return { ...covered, ...(lostFields && { lostFields }) };
  }

  /** A picture that can no longer be read is left out: the workflow is what the file is for. */
  async #coverOf(owner: Owner, { cover, id }: SavedWorkflowDetail): Promise<WorkflowExport['cover']> {
    if (!cover) return null;
    try {
      const [file] = await this.#options.files.selected(owner, [cover.fileId]);
      if (!file) return null;
      const bytes = await this.#options.thumbnails.of(file, { edge: coverEdge, caller: id });
      return { contentType: 'image/webp', data: bytes.toString('base64') };
    } catch (error) {
      if (error instanceof AppError) return null; // gone since, or not decodable
      throw error;
    }
  }
}

function exportedField(parameter: WorkflowParameter): WorkflowExport['form'][number] {
  const { name, label, description, hidden, pinned, placeholder, sets } = parameter;
  const places = sets.map(({ node, input }) => ({ node, input }));
  return { name, label, description, hidden, pinned, placeholder, sets: places };
}

function requireDistinctNames(form: readonly ShownParameter[]): void {
  const names = new Set<string>();
  form.forEach(({ name }, index) => {
    if (names.has(name)) {
      throw refusal(['form', String(index), 'name'], `Two fields of the form have the name "${name}".`);
    }
    names.add(name);
  });
}

/** The bytes decide what it is, and all of them are decoded; the file's own word for it is not used. */
async function pictureIn({
  data,
}: NonNullable<WorkflowExport['cover']>): Promise<{ bytes: Buffer; extension: string }> {
  const bytes = Buffer.from(data, 'base64');
  const { contentType } = contentTypeOf(bytes.subarray(0, 512), '');
  const wrong = (what: string) =>
    refusal(['cover', 'data'], `The cover ${what}. Set \`cover\` to null to import the workflow without it.`);
  if (!decodableTypes.has(contentType)) throw wrong(`is ${contentType}, not a picture`);
  try {
    const { picture, width, height } = await openPicture(bytes);
    if (Math.max(width, height) > maxCoverEdge)
      throw wrong(`has ${width} × ${height} pixels; a side has at most ${maxCoverEdge}`);
    await picture.raw().toBuffer();
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') throw error;
    throw wrong('is not a picture that can be read');
  }
  return { bytes, extension: `.${contentType.slice('image/'.length)}` };
}

function refusal(path: string[], message: string): AppError {
  return new AppError('validation_failed', { faults: [{ in: 'body', path, message, type: 'value_error' }] });
}
