import {
  createContext,
  type FocusEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useText } from '../lib/i18n.ts';
import { CommandLine } from './command-line.tsx';
import { Dialog } from './dialog.tsx';
import { isTyping } from './parts/typing.ts';

interface CommandHints {
  offer: (command: string) => void;
  withdraw: (command: string) => void;
}

const CommandHintContext = createContext<CommandHints | null>(null);

const commandMark = 'data-offers-command';

/** Finds what offers a command, for the list of keys. */
export const offersCommand = `[${commandMark}]`;

/**
 * The command that does the same as a control. Spread the result on the control: while it has the focus or the pointer,
 * `.` shows the command. A control without a command offers none.
 */
export function useCommandHint(command: string | undefined) {
  const hints = useContext(CommandHintContext);
  return useMemo(() => {
    if (command === undefined) return {};
    const offer = () => hints?.offer(command);
    const withdraw = () => hints?.withdraw(command);
    return {
      [commandMark]: '',
      onFocus: offer,
      onPointerEnter: offer,
      onBlur: withdraw,
      onPointerLeave: withdraw,
    };
  }, [hints, command]);
}

/** The same for a row that nothing opens, so that it has the focus itself. The controls in it keep their own commands. */
export function useRowHint(command: string | undefined) {
  const hints = useContext(CommandHintContext);
  return useMemo(() => {
    if (command === undefined) return {};
    const onFocus = ({ target, currentTarget }: FocusEvent) => {
      if (target === currentTarget) hints?.offer(command);
    };
    return { [commandMark]: '', onFocus, onBlur: () => hints?.withdraw(command) };
  }, [hints, command]);
}

/** Listens for `.` and shows the command of the control that has the focus or the pointer. */
export function CommandHintProvider({
  children,
  enabled = true,
}: {
  children: ReactNode;
  enabled?: boolean;
}) {
  const text = useText('kit');
  const offered = useRef<string | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const focused = useRef<Element | null>(null);
  const offer = useCallback((command: string) => {
    offered.current = command;
  }, []);
  const withdraw = useCallback((command: string) => {
    if (offered.current === command) offered.current = null;
  }, []);
  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => {
      const modified = event.ctrlKey || event.metaKey || event.altKey;
      if (event.key !== '.' || modified || isTyping(event.target) || offered.current === null) return;
      event.preventDefault();
      focused.current = document.activeElement;
      setShown(offered.current);
    };
    // An open menu keeps each letter to itself, so this listens before it.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [enabled]);
  const hints = useMemo(() => ({ offer, withdraw }), [offer, withdraw]);
  return (
    <CommandHintContext.Provider value={hints}>
      {children}
      <Dialog
        open={shown !== null}
        onClose={() => setShown(null)}
        title={text('command.title')}
        // A dialog would give the focus of a row to the first control in it.
        restoreFocus={() => focused.current instanceof HTMLElement && focused.current.focus()}
      >
        {shown === null ? null : <CommandLine command={shown} />}
      </Dialog>
    </CommandHintContext.Provider>
  );
}
