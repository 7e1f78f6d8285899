import { installSkill } from '@switchyard/contract/conversation/skill';
import { createThread, deleteThread } from '@switchyard/contract/conversation/threads';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { uploadToThread } from '../../lib/thread-files.ts';
import { skillsKey } from './skills-query.ts';

/** Installs a skill from a file of this machine. */
export function InstallSkill() {
  const text = useText('skills');
  const { act } = useAct();
  const input = useRef<HTMLInputElement>(null);
  const install = async (file: File) => {
    await act(() => uploadSkill(file, text('install.unsafeName', { name: file.name })), {
      done: text('install.done', { name: file.name }),
      refresh: [skillsKey],
    });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".skill"
        hidden
        aria-label={text('install.open')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void install(file);
          target.value = '';
        }}
      />
      <Button
        variant="solid"
        icon={<Upload size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {text('install.open')}
      </Button>
    </>
  );
}

/**
 * Skills are installed from the files of a thread, so the archive gets a thread for as long as that takes. The gateway leaves out
 * an upload whose name is not safe, and says no more; `unsafeName` is the message for that.
 */
async function uploadSkill(archive: File, unsafeName: string): Promise<void> {
  const { thread_id } = await gateway.call(createThread, { body: {} });
  try {
    const [uploaded] = await uploadToThread(thread_id, [archive]);
    if (!uploaded) throw new Error(unsafeName);
    await gateway.call(installSkill, { body: { thread_id, path: uploaded.virtual_path } });
  } finally {
    await gateway.call(deleteThread, { params: { thread_id } });
  }
}
