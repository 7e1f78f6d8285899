import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { useText } from '../../lib/i18n.ts';
import { skillsKey } from './skills-query.ts';
import { uploadSkill } from './upload-skill.ts';

/** Installs a skill from a file of this machine. */
export function InstallSkill() {
  const text = useText('skills');
  const act = useAct();
  const input = useRef<HTMLInputElement>(null);
  const install = async (file: File) => {
    await act(() => uploadSkill(file, text('install.unsafeName', { name: file.name })), {
      done: text('install.done', { name: file.name }),
      refresh: skillsKey,
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
