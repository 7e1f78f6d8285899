import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import type { FileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';

/** Stores files one after the other, and hands over those that were taken. The others are named with the reason. */
export function useFileUpload(parameter: FieldSpec, onKept: (files: FileDraft[]) => void) {
  const text = useText('fields');
  const words = useGatewayWords();
  const isPicture = takesPicture(parameter);
  const keep = async (file: File): Promise<FileDraft | string> => {
    const fault = isPicture ? await faultOfPicture(file) : null;
    if (fault !== null) return text(`file.${fault}`, { name: file.name });
    try {
      const { fileId, filename } = await gateway.upload(named(file));
      return { fileId, filename };
    } catch (error) {
      return words.error(error);
    }
  };
  const latest = useRef(onKept);
  useEffect(() => {
    latest.current = onKept;
  });
  const { mutate, reset, data, isPending } = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const results: (FileDraft | string)[] = [];
      for (const file of files) results.push(await keep(file));
      const kept = results.filter((result) => typeof result !== 'string');
      if (kept.length > 0) latest.current(kept);
      return [...new Set(results.filter((result) => typeof result === 'string'))];
    },
  });
  const upload = (files: Iterable<File> | null | undefined) => mutate([...(files ?? [])]);
  return { upload, reset, refusals: data ?? [], isPending, isPicture };
}

/** Nodes call such an input `image` or `mask`. A field of another kind takes every file. */
function takesPicture({ name, sets }: FieldSpec): boolean {
  return /(^|_|\.)(image|mask|picture)s?\d*$/i.test(sets?.[0]?.input ?? name);
}

/** The formats that each browser can decode. */
const decodable = /^image\/(png|jpeg|webp|gif|bmp)$/;

/** Sees before the upload what a worker would report only after the run has failed. */
async function faultOfPicture(file: File): Promise<'notPicture' | 'broken' | null> {
  if (!file.type.startsWith('image/')) return 'notPicture';
  if (!decodable.test(file.type)) return null;
  try {
    (await createImageBitmap(file)).close();
    return null;
  } catch {
    return 'broken'; // the browser cannot decode it, and neither can a worker
  }
}

/** A pasted picture has no name of its own. */
function named(file: File): File {
  if (file.name !== '' && file.name !== 'image.png') return file;
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  return new File([file], `pasted-${time}.png`, { type: file.type });
}
