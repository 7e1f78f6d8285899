import type { FileHandle } from 'node:fs/promises';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import type { Owner } from '../../lib/owner.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { writeBlob } from '../../platform/files/write-blob.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { type OpenableMember, openZipMember, readZipDirectory } from '../workspace/zip-archive.ts';
import type { CustomSkills } from './custom-skills.ts';
import { maxSkillBytes, readSkillText, skillFile } from './skill.ts';
import { type PlannedFile, planOf } from './skill-archive-plan.ts';

/** Makes a custom skill of a `.skill` archive that lies in a thread of the caller. */
export class SkillInstall {
  readonly #options;
  readonly #lock = new KeyLock();

  constructor(options: {
    custom: CustomSkills;
    access: Pick<ThreadAccess, 'require'>;
    files: Pick<WorkspaceFiles, 'open'>;
    /** Disk space that is left free. */
    reserveBytes: number;
  }) {
    this.#options = options;
  }

  /** Returns the name of the skill. */
  async install(
    owner: Owner,
    { threadId, path, author }: { threadId: string; path: string; author: string },
  ): Promise<string> {
    const { access, files } = this.#options;
    await access.require(owner, threadId, { mustExist: true });
    if (!path.endsWith('.skill')) {
      throw new AppError('skill_archive_invalid', { message: say('archive_name_wrong') });
    }
    const archive = await files.open({ userId: userScope(owner), threadId }, path);
    try {
      // One at a time: each install may fill the disk and occupies the threads that unpack.
      return await this.#lock.run('', () => this.#unpack(archive, author));
    } finally {
      await archive.close();
    }
  }

  async #unpack(archive: FileHandle, author: string): Promise<string> {
    const { custom } = this.#options;
    const plan = planOf(await readZipDirectory(archive), (await archive.stat()).size);
    const text = await textIn(plan);
    const { name } = readSkillText(text);
    await custom.requireRoomFor(name);
    const draft = await custom.staging.open();
    try {
      for (const file of plan) await this.#write(file, draft);
      await custom.add(draft, { name, text, author });
    } catch (error) {
      await custom.staging.drop(draft);
      throw error;
    }
    return name;
  }

  async #write({ member, path }: PlannedFile<OpenableMember>, draft: string): Promise<void> {
    const content = await openMember(member);
    const target = join(draft, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const requireSpace = () => this.#requireSpace(draft);
    await requireSpace();
    await writeBlob(nodeDisk, target, {
      source: Readable.from(content()),
      maxBytes: member.sizeBytes,
      requireSpace,
    });
  }

  async #requireSpace(folder: string): Promise<void> {
    if ((await nodeDisk.freeBytes(folder)) < this.#options.reserveBytes) throw new AppError('storage_full');
  }
}

/** Read before anything is written: most archives that hold no skill are refused here. */
async function textIn(plan: readonly PlannedFile<OpenableMember>[]): Promise<string> {
  const planned = plan.find(({ path }) => path === skillFile);
  if (!planned || planned.member.sizeBytes > maxSkillBytes) {
    throw new AppError('skill_invalid', {
      message: say('skill_text_large', { bytes: maxSkillBytes }),
    });
  }
  const content = await openMember(planned.member);
  const chunks: Buffer[] = [];
  for await (const chunk of content()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The unpacked size was checked before; the packed file may be a little larger. */
function openMember(member: OpenableMember): ReturnType<typeof openZipMember> {
  return openZipMember(member, Math.max(member.sizeBytes, member.packedBytes));
}
