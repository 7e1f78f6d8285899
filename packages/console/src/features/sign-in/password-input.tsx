import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { IconButton } from '../../kit/button.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { useText } from '../../lib/i18n.ts';

/** A password that its owner can look at. */
export function PasswordInput(props: ComponentProps<typeof TextInput>) {
  const text = useText('sign-in');
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <TextInput
        {...props}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className="pr-10"
      />
      <IconButton
        label={text(shown ? 'password.hide' : 'password.show')}
        aria-pressed={shown}
        icon={<Icon size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0"
      />
    </div>
  );
}
