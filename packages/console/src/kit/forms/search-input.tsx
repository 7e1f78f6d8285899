import { useEffect, useState } from 'react';
import { TextInput } from '../text-input.tsx';

/** So long nothing is asked while a word is being typed. */
const pauseMs = 250;

/** A filter by words. It is applied when typing pauses. */
export function SearchInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      className="max-w-80"
    />
  );
}
