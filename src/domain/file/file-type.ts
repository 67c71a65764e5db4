import { fileTypeFromFile } from 'file-type'
import type { SpooledFile } from '../../lib/temporary-files.ts'
import { markedEncoding, type TextEncoding } from '../../lib/text-encoding.ts'
import type { FileGroup } from '../structure/file-answer.ts'

/** The type of a file, determined from its content. */
export interface FileType {
  group: FileGroup
  /** Media type. */
  type: string
  extension: string
}

/**
 * The types that questions can accept, by the extension that `file-type` returns. SVG and HTML are not accepted,
 * because they can contain scripts.
 */
const GROUPS: Readonly<Record<FileGroup, readonly string[]>> = {
  image: ['jpg', 'png', 'webp', 'gif', 'heic', 'avif', 'tif', 'bmp'],
  pdf: ['pdf'],
  document: ['docx', 'odt', 'rtf', 'pptx', 'odp'],
  spreadsheet: ['xlsx', 'ods', 'csv'],
  text: ['txt', 'md'],
  audio: ['mp3', 'm4a', 'wav', 'ogg', 'oga', 'opus', 'flac', 'aac', 'amr'],
  video: ['mp4', 'mov', 'webm', 'mkv', 'avi', '3gp', 'm4v', 'mpg'],
  archive: ['zip'],
}

const groupOf = (extension: string): FileGroup | undefined =>
  (Object.keys(GROUPS) as FileGroup[]).find((group) => GROUPS[group].includes(extension))

/** Alternative extensions, with the usual extension of the same type. */
const SYNONYMS: Readonly<Record<string, string>> = { jpeg: 'jpg', jpe: 'jpg', tiff: 'tif', heif: 'heic', mpeg: 'mpg' }

const TEXT_TYPES: Readonly<Record<string, string>> = { csv: 'text/csv', txt: 'text/plain', md: 'text/markdown' }

/** Returns the extension of a file name in its usual form; '' if it has none. */
function extensionOf(name: string): string {
  const extension = (/\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1] ?? '').toLowerCase()
  return SYNONYMS[extension] ?? extension
}

/**
 * Determines the type of a file from its content. The name is used only for text files, whose content does not show the
 * type.
 * @returns undefined for a type that no question accepts
 */
export async function detectType(file: SpooledFile, name: string): Promise<FileType | undefined> {
  const detected = await fileTypeFromFile(file.path).catch(() => undefined)
  if (detected) {
    const group = groupOf(detected.ext)
    return group && { group, type: detected.mime, extension: detected.ext }
  }
  const extension = extensionOf(name) || 'txt'
  const type = TEXT_TYPES[extension]
  return type !== undefined && (await isText(file)) ? { group: groupOf(extension)!, type, extension } : undefined
}

/**
 * Returns whether a file is a text in an encoding that Excel and editors write, without control characters other than
 * white space.
 */
async function isText(file: SpooledFile): Promise<boolean> {
  const marked = await encodingMarkOf(file)
  if (marked) return isTextIn(marked, file)
  return (await isTextIn('utf-8', file)) || isTextIn('windows-1252', file)
}

const encodingMarkOf = async (file: SpooledFile): Promise<TextEncoding | undefined> => {
  for await (const chunk of file.read()) return markedEncoding(chunk as Buffer)
  return undefined
}

const CONTROL_CHARACTERS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
/** Also matches the five bytes that Windows-1252 does not use. */
const NOT_WINDOWS_1252 = /[\0-\x08\x0e-\x1a\x1c-\x1f\x81\x8d\x8f\x90\x9d]/

async function isTextIn(encoding: TextEncoding, file: SpooledFile): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const forbidden = encoding === 'windows-1252' ? NOT_WINDOWS_1252 : CONTROL_CHARACTERS
  try {
    for await (const chunk of file.read())
      if (forbidden.test(decoder.decode(chunk as Buffer, { stream: true }))) return false
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

const MAX_NAME_CHARACTERS = 150

/** Returns a safe name of a file: without folders and invisible characters, and with the extension of its type. */
export function safeName(name: string, { extension }: FileType): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const visible = base
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .trim()
  const stem = visible.replace(/^\.+/, '').slice(0, MAX_NAME_CHARACTERS).toWellFormed() || 'file'
  return extensionOf(stem) === extension ? stem : `${stem}.${extension}`
}
