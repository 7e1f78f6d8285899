import { RunFileError } from '@switchyard/client/conversation/read-run-file';
import { FileInput } from 'lucide-react';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useText } from '../../lib/i18n.ts';
import { openRunFile } from './source/opened-file.ts';

/** Opens an exported run, and explains a file that is not one. */
export function ImportButton() {
  const text = useText('runs');
  const toast = useToast();
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      await openRunFile(file);
      navigate('/runs/file');
    } catch (error) {
      if (!(error instanceof RunFileError)) throw error;
      toast({ tone: 'failed', text: text(`file.fault.${error.fault}`, { name: file.name }) });
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label={text('file.import')}
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          void open(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button
        icon={<FileInput size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {text('file.import')}
      </Button>
    </>
  );
}
