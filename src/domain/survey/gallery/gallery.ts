import { readFileSync } from 'node:fs'
import type { Slice } from '../../../lib/paging.ts'
import { byLanguage, languageNames } from '../../../lib/texts.ts'
import { problems } from '../../problem.ts'
import { numberStructure } from '../../structure/numbering.ts'
import { normaliseStructure, type Structure } from '../../structure/structure.ts'

/** A template of the gallery as its file defines it: all texts are English, and the structure is not normalised. */
interface GalleryDraft {
  /** A part of the URLs of the template. It never changes. */
  id: string
  name: string
  /** Says for whom the survey is, and what it asks. */
  description: string
  category: string
  structure: Readonly<Record<string, unknown>>
}

/** A ready-made survey that comes with the service. */
export interface GalleryTemplate extends Omit<GalleryDraft, 'structure'> {
  /** The languages in which it has all its texts. The first one is English, the default language. */
  languages: readonly string[]
  structure: Structure
  /** Number of questions, without sections. */
  questions: number
}

/** The members of a structure that are texts. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'label', 'leftLabel', 'rightLabel'])

/** The translations of English texts by language. */
const translations = byLanguage<Readonly<Record<string, string>>>('gallery.json')

/** Returns the English texts in a part of a structure. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    TEXTS.has(name) && typeof part === 'string' ? [part] : textsIn(part),
  )
}

/** Returns the languages that have a translation of every text. */
function languagesOf(texts: readonly string[]): string[] {
  const complete = Object.keys(translations).filter((language) =>
    texts.every((text) => translations[language]![text] !== undefined),
  )
  return ['en', ...complete.sort()]
}

/** Replaces each English text with the text in all languages. */
function translated(value: unknown, languages: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((part) => translated(part, languages))
  if (typeof value !== 'object' || value === null) return value
  const inAll = (text: string) =>
    Object.fromEntries(languages.map((language) => [language, translations[language]?.[text] ?? text]))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      TEXTS.has(name) && typeof part === 'string' ? inAll(part) : translated(part, languages),
    ]),
  )
}

function templateOf({ structure: draft, ...template }: GalleryDraft): GalleryTemplate {
  const languages = languagesOf(textsIn(draft))
  const named = languages.map((code, index) => ({ code, name: languageNames[code]!, isDefault: index === 0 }))
  const authored = { ...(translated(draft, languages) as object), languages: named }
  const { structure } = numberStructure(normaliseStructure(authored))
  const questions = structure.form
    .flatMap(({ children }) => children)
    .filter(({ idname }) => idname !== 'section-separator').length
  return { ...template, languages, structure, questions }
}

/** The files of the templates, in the order of the gallery. */
const FILES = [
  ...['customers', 'support', 'products', 'events', 'meeting-poll'],
  ...['employees', 'education', 'public', 'research'],
]

const draftsIn = (file: string) =>
  JSON.parse(readFileSync(new URL(`./templates/${file}.json`, import.meta.url), 'utf8')) as GalleryDraft[]

/** Returns the English texts of the structures of all templates, with the IDs of the templates that use each. */
export function galleryTexts(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { id, structure } of FILES.flatMap(draftsIn))
    for (const text of textsIn(structure)) found.set(text, (found.get(text) ?? new Set()).add(id))
  return found
}

let all: readonly GalleryTemplate[] | undefined

/** Returns all templates, in the order of the gallery. */
function allTemplates(): readonly GalleryTemplate[] {
  all ??= FILES.flatMap(draftsIn).map(templateOf)
  return all
}

/** Returns a part of the gallery with the total number of templates. Without a slice, returns all templates. */
export function galleryTemplates(slice?: Slice): { total: number; templates: readonly GalleryTemplate[] } {
  const templates = allTemplates()
  const part = slice ? templates.slice(slice.offset, slice.offset + slice.limit) : templates
  return { total: templates.length, templates: part }
}

/**
 * Returns a template of the gallery.
 * @throws {Problem} `gallery_template_not_found`
 */
export function findGalleryTemplate(id: string): GalleryTemplate {
  const template = allTemplates().find((template) => template.id === id)
  if (!template) throw problems.galleryTemplateNotFound()
  return template
}

/**
 * Returns the structure of a template.
 * @param language the default language of the survey, if the template has it
 */
export function galleryStructure({ structure }: GalleryTemplate, language?: string): Structure {
  if (!structure.languages.some(({ code }) => code === language)) return structure
  return { ...structure, languages: structure.languages.map((one) => ({ ...one, isDefault: one.code === language })) }
}
