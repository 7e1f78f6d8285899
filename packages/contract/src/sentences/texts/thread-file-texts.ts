/** A file of a thread that cannot be uploaded, read or changed. */
export const threadFileTexts = {
  upload_too_many: 'Too many files: maximum is {count}',
  upload_file_too_large: 'File too large: {filename}',
  upload_unreadable: 'The body is not valid multipart/form-data, or it was cut off.',
  uploads_full: 'A thread has at most {count} uploads. Delete some first.',
  only_outputs_changed: 'Access denied: only files below outputs can be changed',
  text_too_long: 'Texts of at most {bytes} bytes can be edited here.',
  file_no_text: 'The file is not text and cannot be edited here.',
  path_no_file: 'Path is not a file: {path}',
  path_begins_wrong: 'Path must start with {folder}',
} as const;
