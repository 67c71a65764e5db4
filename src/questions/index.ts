import { type Schema, text, type ValueOf } from '../domain/structure/json-schema.ts'
import type { SettingTypes, StructureChoice } from '../domain/structure/setting-schemas.ts'
import { booleanChoice } from './boolean-choice.ts'
import { calculation } from './calculation.ts'
import { consent } from './consent.ts'
import { constantSum } from './constant-sum.ts'
import { datetime } from './datetime.ts'
import { dropdownChoice } from './dropdown-choice.ts'
import { dropdownGrid } from './dropdown-grid.ts'
import { email } from './email.ts'
import { fileUpload } from './file-upload.ts'
import { hiddenField } from './hidden-field.ts'
import { imageChoice } from './image-choice.ts'
import { multipleChoice } from './multiple-choice.ts'
import { multipleChoiceGrid } from './multiple-choice-grid.ts'
import { netPromoter } from './net-promoter.ts'
import { number } from './number.ts'
import type { QuestionType } from './question-type.ts'
import { randomGroup } from './random-group.ts'
import { ranking } from './ranking.ts'
import { rating } from './rating.ts'
import { sectionSeparator } from './section-separator.ts'
import { oldSettings, sharedSettings } from './settings.ts'
import { signature } from './signature.ts'
import { singleChoice } from './single-choice.ts'
import { singleChoiceGrid } from './single-choice-grid.ts'
import { slider } from './slider.ts'
import { textResponse } from './text-response.ts'
import { textResponseGrid } from './text-response-grid.ts'

/** All question types, in the order of the contract (docs/specification.md 6.4). */
const types = [
  sectionSeparator,
  textResponse,
  singleChoice,
  multipleChoice,
  dropdownChoice,
  booleanChoice,
  datetime,
  hiddenField,
  ranking,
  singleChoiceGrid,
  textResponseGrid,
  dropdownGrid,
  netPromoter,
  number,
  email,
  rating,
  slider,
  calculation,
  consent,
  imageChoice,
  multipleChoiceGrid,
  fileUpload,
  signature,
  constantSum,
  randomGroup,
] as const

export type KnownKind = (typeof types)[number]['idname']
/** The type of a question; `unknown` for an `idname` of no type. */
export type QuestionKind = KnownKind | 'unknown'

/** The question types by `idname`. */
export const questionTypes = Object.fromEntries(types.map((type) => [type.idname, type])) as Readonly<
  Record<KnownKind, QuestionType>
>

const bySynonym = new Map<string, KnownKind>(
  types.flatMap(({ idname, synonyms = [] }) => synonyms.map((name) => [name, idname] as const)),
)

/**
 * Returns the type of an `idname`; `unknown` if there is no such type. A question of an unknown type is kept in the
 * structure, and respondents see only its title and description.
 */
export function kindOf(idname: unknown): QuestionKind {
  if (typeof idname !== 'string') return 'unknown'
  // Stored structures have no synonyms, and the service looks up the type of a question many times.
  if (Object.hasOwn(questionTypes, idname)) return idname as KnownKind
  const name = idname.trim().toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(questionTypes, name) ? (name as KnownKind) : (bySynonym.get(name) ?? 'unknown')
}

/** Returns what the service knows of a question type; undefined for `unknown`. */
export const typeOf = (kind: string): QuestionType | undefined =>
  Object.hasOwn(questionTypes, kind) ? questionTypes[kind as KnownKind] : undefined

/**
 * Reports whether the service itself sets the answers to questions of a type. Respondents neither see nor answer such
 * questions.
 */
export const isAutomatic = (kind: string): boolean => typeOf(kind)?.answeredBy !== undefined

/** Reports whether questions of a type have a setting. */
export const hasSetting = (kind: string, name: string): boolean => {
  const settings = typeOf(kind)?.settings
  return settings !== undefined && Object.hasOwn(settings, name)
}

/** The parts of a consent that are stored with its answer. */
export const consentParts = consent.parts!

/** The question types whose choices an earlier answer can filter. */
export const filteredKinds: ReadonlySet<string> = new Set(
  types.filter(({ settings }) => Object.hasOwn(settings, 'choiceFilter')).map(({ idname }) => idname),
)

/** Reports whether the answers to a question of a type can filter the choices of later questions. */
export function isFiltering(kind: string): boolean {
  const { fieldType, incomparable } = typeOf(kind) ?? {}
  return Boolean(fieldType) && !incomparable
}

/** All settings by name. Settings of different types with the same name have the same kind of value. */
export const settingSchemas = Object.assign(
  { ...sharedSettings, ...oldSettings },
  ...types.map(({ settings }) => settings),
) as { readonly [Name in SettingName]: Schema }

type OwnSettings = (typeof types)[number]['settings'] | typeof sharedSettings | typeof oldSettings
type NameOf<Schemas> = Schemas extends unknown ? keyof Schemas : never
/** The name of a setting. */
export type SettingName = NameOf<OwnSettings>
type SchemaOf<Name, Schemas> = Schemas extends { readonly [Member in Name & string]: infer One } ? One : never

/** The settings of all question types. */
export type Settings = {
  [Name in SettingName]?: Name extends 'choices'
    ? StructureChoice[]
    : ValueOf<SchemaOf<Name, OwnSettings>, SettingTypes>
}

/** Returns the settings of a question type that are texts in several languages. */
export const textSettings = (kind: string): SettingName[] =>
  Object.entries(typeOf(kind)?.settings ?? {}).flatMap(([name, { $ref }]) =>
    $ref === TEXT ? [name as SettingName] : [],
  )

const TEXT = text('').$ref
