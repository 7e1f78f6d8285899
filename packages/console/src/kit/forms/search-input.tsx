import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { TextInput } from '../text-input.tsx';

/** So long nothing is asked while a word is being typed. */
const pauseMs = 250;

/** A filter by words. It is applied when typing pauses; Escape takes it away. */
export function SearchInput({
  label,
  value,
  onChange,
  className = 'w-full sm:max-w-80',
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}) {
  const [typed, setTyped] = useState(value);
  const [shown, setShown] = useState(value);
  // The value was changed by something else, such as the back button.
  if (shown !== value) {
    setShown(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <search className={`relative min-w-0 ${className}`}>
      <Search
        size={16}
        strokeWidth={1.75}
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-2 my-auto text-text-3"
      />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped('');
          // Who goes on to the list comes to what was looked for, and not to a row that is about to leave.
          if (event.key === 'Tab' || event.key === 'Enter') onChange(typed.trim());
        }}
        className="pl-8"
      />
    </search>
  );
}
