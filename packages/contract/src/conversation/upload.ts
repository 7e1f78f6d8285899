import { type Static, Type } from 'typebox';

const shape = {
  filename: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  path: Type.String({ description: 'As `virtual_path`.' }),
  virtual_path: Type.String({ description: 'What agents call it: `/mnt/user-data/uploads/<filename>`.' }),
  artifact_url: Type.String({ description: 'Where it can be loaded, relative to the gateway.' }),
};

export const uploadedFile = Type.Object({
  ...shape,
  original_filename: Type.Optional(
    Type.String({ description: 'What it was sent as, where that name came twice in one request.' }),
  ),
});
export type UploadedFile = Static<typeof uploadedFile>;

export const listedUpload = Type.Object({
  ...shape,
  extension: Type.String({ description: 'With its dot; empty where there is none.' }),
  modified: Type.Number({ description: 'Seconds since 1970.' }),
});
export type ListedUpload = Static<typeof listedUpload>;

export const uploadLimits = Type.Object({
  max_files: Type.Integer({ description: 'Files in one request.' }),
  max_file_size: Type.Integer({ description: 'Bytes of one file.' }),
  max_total_size: Type.Integer({ description: 'Bytes of all files of one request.' }),
});
export type UploadLimits = Static<typeof uploadLimits>;
