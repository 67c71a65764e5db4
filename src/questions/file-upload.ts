import { FILE_GROUPS, FILE_LIMITS, fileGroupsOf } from '../domain/structure/file-answer.ts'
import { questionType } from './question-type.ts'

/** Files of the respondent. */
export const fileUpload = questionType({
  idname: 'file-upload',
  optionTypes: ['file'],
  fieldType: 'file',
  incomparable: true,
  settings: {
    maxFiles: {
      type: 'integer',
      minimum: 1,
      maximum: FILE_LIMITS.maxFiles,
      description: 'Maximum number of files. Default: 1.',
    },
    maxSize: {
      type: 'integer',
      minimum: 1,
      maximum: FILE_LIMITS.maxSize,
      description: `Maximum size of a file in megabytes. Default: ${FILE_LIMITS.defaultSize}. The server can have a lower limit.`,
    },
    fileTypes: {
      type: 'array',
      items: { type: 'string', enum: FILE_GROUPS },
      uniqueItems: true,
      description: 'Types of files that are accepted. Default: all of them.',
    },
    keepOriginal: {
      type: 'boolean',
      description:
        'Photos are uploaded as they are. Otherwise, the browser of the respondent makes photos smaller if a side is longer than 2,560 pixels or the file is larger than `maxSize`, and removes their metadata. Default: false.',
    },
  },
  compileSettings: ({ maxFiles = 1, maxSize = FILE_LIMITS.defaultSize, fileTypes = [], keepOriginal }) => ({
    maxFiles,
    maxSize,
    fileTypes: fileGroupsOf(fileTypes),
    ...(keepOriginal && { keepOriginal }),
  }),
  seconds: [30, 0],
})
