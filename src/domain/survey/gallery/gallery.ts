import type { Slice } from '../../../lib/paging.ts'
import { problems } from '../../problem.ts'
import { numberStructure } from '../../structure/numbering.ts'
import { normaliseStructure, type Structure } from '../../structure/structure.ts'
import { isRecord } from '../../structure/walk.ts'
import german from './german.json' with { type: 'json' }
import { customerTemplates } from './templates/customers.ts'
import { educationTemplates } from './templates/education.ts'
import { employeeTemplates } from './templates/employees.ts'
import { eventTemplates } from './templates/events.ts'
import { meetingPoll } from './templates/meeting-poll.ts'
import { productTemplates } from './templates/products.ts'
import { publicTemplates } from './templates/public.ts'
import { researchTemplates } from './templates/research.ts'
import { supportFeedback } from './templates/support.ts'

/** A template of the gallery as its source file defines it, before the structure is normalised. */
export interface GalleryDraft {
  /** A part of the URLs of the template. It never changes. */
  id: string
  name: string
  /** Says for whom the survey is, and what it asks. */
  description: string
  category: string
  /** The languages of all its texts. The first one is the default language. */
  languages: readonly string[]
  structure: Readonly<Record<string, unknown>>
}

/** A ready-made survey that comes with the service. */
export interface GalleryTemplate extends Omit<GalleryDraft, 'structure'> {
  structure: Structure
  /** Number of questions, without sections. */
  questions: number
}

const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
  pt: 'Português',
}

/** The members of a structure that are texts. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'label'])

/** Adds the translation to each English text. */
function translated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translated)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      TEXTS.has(name) && typeof part === 'string' ? { en: part, de: germanOf(part) } : translated(part),
    ]),
  )
}

function germanOf(text: string): string {
  const translation = (german as Readonly<Record<string, string>>)[text]
  if (translation === undefined) throw new Error(`german.json has no translation of “${text}”`)
  return translation
}

/** The languages in which shared scales are written. */
const codes = new Set(Object.keys(LANGUAGE_NAMES))

/** Removes the texts of scales in languages that the template does not have. */
function inLanguages(value: unknown, languages: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((part) => inLanguages(part, languages))
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
  const isText = entries.length > 0 && entries.every(([name]) => codes.has(name))
  return isText
    ? Object.fromEntries(entries.filter(([code]) => languages.includes(code)))
    : Object.fromEntries(entries.map(([name, part]) => [name, inLanguages(part, languages)]))
}

function templateOf({ structure, ...draft }: GalleryDraft): GalleryTemplate {
  const languages = draft.languages.map((code, index) => ({
    code,
    name: LANGUAGE_NAMES[code]!,
    isDefault: index === 0,
  }))
  const authored = { ...(inLanguages(translated(structure), draft.languages) as object), languages }
  const normalised = numberStructure(normaliseStructure(authored)).structure
  const questions = normalised.form
    .flatMap(({ children }) => children)
    .filter(({ idname }) => idname !== 'section-separator').length
  return { ...draft, structure: normalised, questions }
}

/** All templates, in the order of the gallery. */
const templates: readonly GalleryTemplate[] = [
  ...customerTemplates,
  supportFeedback,
  ...productTemplates,
  ...eventTemplates,
  meetingPoll,
  ...employeeTemplates,
  ...educationTemplates,
  ...publicTemplates,
  ...researchTemplates,
].map(templateOf)

/** Returns a part of the gallery with the total number of templates. Without a slice, returns all templates. */
export function galleryTemplates(slice?: Slice): { total: number; templates: readonly GalleryTemplate[] } {
  const part = slice ? templates.slice(slice.offset, slice.offset + slice.limit) : templates
  return { total: templates.length, templates: part }
}

/**
 * Returns a template of the gallery.
 * @throws {Problem} `gallery_template_not_found`
 */
export function findGalleryTemplate(id: string): GalleryTemplate {
  const template = templates.find((template) => template.id === id)
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
