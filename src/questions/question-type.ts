import type { ValueError } from '../domain/field-error.ts'
import type { MembersOf, Schema } from '../domain/structure/json-schema.ts'
import type {
  Answer,
  AnswerPart,
  Choice,
  Field,
  FieldType,
  Question,
  RemovedChoice,
} from '../domain/structure/questionnaire.ts'
import type { SettingTypes } from '../domain/structure/setting-schemas.ts'
import type { FieldErrors } from '../domain/structure/walk.ts'
import type { oldSettings, sharedSettings } from './settings.ts'

type Schemas = Readonly<Record<string, Schema>>

/**
 * The settings of a question of a stored structure. A setting that does not have its type is absent: a question that was
 * stored before its type existed can have any value.
 */
export type SettingsOf<Own> = MembersOf<Own & Omit<typeof sharedSettings & typeof oldSettings, keyof Own>, SettingTypes>

/** An authored question whose settings are checked. */
export interface CheckedQuestion {
  errors: FieldErrors
  /** Returns a setting, whose type may be wrong. */
  setting(name: string): unknown
  /** Returns the JSON pointer of a setting. */
  pointerOf(name: string): string
}

/** What the service knows of a question type. The properties that are absent have the usual value. */
export interface QuestionType<Idname extends string = string, Own extends Schemas = Schemas> {
  idname: Idname
  /** Other values of `idname`. They are replaced when a structure is stored. */
  synonyms?: readonly string[]
  /**
   * The values of `type` that option objects (or rows of a grid) may have, the usual one first; none: questions of this
   * type have no option objects.
   */
  optionTypes: readonly string[]
  /** Type of the stored answers; null: questions of this type have no answer. */
  fieldType: FieldType | null
  /** Whether the children are rows, of which each has an answer. */
  grid?: true
  /** Whether a question must have choices. */
  choices?: true
  /** The settings as JSON Schema, in addition to `required`, `choices` and `randomize`. They are checked with it. */
  settings: Own
  /** Members of the option object of a new question. */
  newSettings?: Readonly<Record<string, unknown>>
  /** Checks settings that depend on each other. */
  checkSettings?(question: CheckedQuestion): void
  /** Returns the choices in the order of the structure; absent: none. */
  compileChoices?(settings: SettingsOf<Own>): Choice[]
  /** Returns the choices of earlier versions that answers can contain; absent: those that were removed. */
  removedChoices?(choices: readonly Choice[]): RemovedChoice[]
  /** Returns the compiled settings. */
  compileSettings?(settings: SettingsOf<Own>): Partial<Question>
  /** The parts of the answer that have a key of their own, `<id>\<part>`, in the order of their columns in exports. */
  parts?: readonly AnswerPart[]
  /** Whether the rows are one answer together, so that no row is required alone. */
  joinedRows?: true
  /**
   * Returns the error of answers that are valid one by one, at the ID of the question.
   * @param answerTo returns the answer to a field; undefined for a blank one
   */
  checkAnswers?(question: Question, answerTo: (field: Field) => Answer | undefined): ValueError | undefined
  /** Returns the answers that valid answers imply, by response key. */
  impliedAnswers?(question: Question, answerTo: (field: Field) => Answer | undefined): Readonly<Record<string, Answer>>
  /** Returns random answers that are valid together, by response key. */
  sampleAnswers?(question: Question, random: () => number): Readonly<Record<string, Answer>>
  /** Where the service takes the answer from. Respondents neither see nor answer such a question. */
  answeredBy?: 'link' | 'calculation' | 'assignment'
  /** Whether the choices mean yes and no. */
  yesNo?: true
  /** Whether yes is the only answer. */
  onlyYes?: true
  /** Whether the choices have images. */
  withImages?: true
  /** Whether the choices have no scores. */
  unscored?: true
  /** Whether the choices have weights. */
  weighted?: true
  /** Whether rules and filters of choices can only test if there is an answer. */
  incomparable?: true
  /** Whether the answers are those of a net promoter score. */
  promoters?: true
  /** Returns the number of cells on the page; absent: one for each choice. */
  countCells?(choices: number, rows: number): number
  /** Reports whether the cells are options of drop-down lists; absent: they are inputs. */
  hasOptions?(choices: number): boolean
  /** Seconds to answer a question, and for each of its choices or rows, after reading it. */
  seconds: readonly [question: number, item: number]
  /** Texts for simulated and example answers. */
  sampleTexts?: readonly string[]
}

/** Returns a question type, with the types of its settings from their schemas. */
export const questionType = <const Idname extends string, const Own extends Schemas>(
  type: QuestionType<Idname, Own>,
): QuestionType<Idname, Own> => type
