import type { ValueError } from '../../domain/field-error.ts'
import type { UploadedFile } from '../../domain/file/store.ts'
import type { Choice, Question, Questionnaire } from '../../domain/structure/questionnaire.ts'
import type { Html, Part } from '../../lib/html.ts'
import type { KnownKind } from '../../questions/index.ts'
import type { Translator } from '../i18n/i18n.ts'

/** The name and description of a question type for authors. */
export interface TypeName {
  label: string
  hint: string
  /** Other words by which authors can find the question type in a search. */
  words: string
}

/** The kinds of form controls for a setting. */
export type SettingControl = 'check' | 'count' | 'number' | 'line' | 'text' | 'select' | 'checks' | 'numbers'

/** A setting in the form of a question. */
export interface QuestionSetting {
  /** The name of the member in the structure. */
  name: string
  control: SettingControl
  label: string
  hint?: string
  /** Whether the setting is a member of `validation`. */
  ofValidation?: true
  /** The options of a drop-down list or of a group of checkboxes. In a drop-down list, '' means no value. */
  options?: readonly { value: string; label: string }[]
}

/** How a question type is drawn for respondents, and named and edited in the builder. */
export interface QuestionView<Idname extends KnownKind = KnownKind> {
  idname: Idname
  name(): TypeName
  /** Returns the settings in the form of the builder, below `required` and `randomize`. */
  settings?(): readonly QuestionSetting[]
  /** Whether a choice can have a text field (“Other”). */
  withOther?: true
  /** Returns the label of the option `exclusive` of a choice; absent: the option has no effect. */
  exclusiveLabel?(): string
  /** Whether only the respondent can give the answer, so that no link can fill it in. */
  isPersonal?: true
  /** Whether the answers are radio buttons. Browsers submit nothing for them if none is chosen. */
  isRadio?: true
  /** Whether the question has the full width, even if the author sets another width. */
  isFullWidth?: true
  /** Returns the minimum number of grid columns; absent: that of every question. */
  minSpan?(question: Question): number
  /** Returns what the question accepts: how many choices can be selected, the range of a number, or how to sign. */
  hint?(context: RenderContext): Part
  /** How the question is drawn on paper; absent: only its texts, or nothing if the service answers the question. */
  paper?: PaperView
  render: RenderQuestion
}

/** A question on paper, in a language of the survey. */
export interface PaperQuestion {
  question: Question
  i18n: Translator
}

/** How the questions of a type are drawn on paper. */
export interface PaperView {
  /** Returns sentences that say how to answer. */
  instructions?(paper: PaperQuestion): readonly Part[]
  render(paper: PaperQuestion): Part
}

/** The properties of a file that the form of a page shows. */
export type ShownFile = Pick<UploadedFile, 'key' | 'name' | 'bytes'>

/** Errors by response key (the key of an answer, such as `grid_0`). */
export type ErrorsByKey = ReadonlyMap<string, ValueError>

/** A question, with the data of the page that are needed to render it. */
export interface RenderContext {
  question: Question
  /** How the type of the question is drawn. */
  view: Partial<QuestionView> & Pick<QuestionView, 'render'>
  q: Questionnaire
  i18n: Translator
  /** Entered or stored values by response key. */
  values: Readonly<Record<string, unknown>>
  /** The files to which the values refer, by file key; undefined if the form cannot receive files. */
  files: ReadonlyMap<string, ShownFile> | undefined
  /** The operator's limit for the size of a file in megabytes. A question can set a lower limit. */
  maxMegabytes: number
  errors: ErrorsByKey
  /** Seed for random orders. It is always the same for a response, so that the order does not change. */
  seed: string
  /**
   * Whether the page has more cells than `MAX_PAGE_CELLS`. Respondents then enter the number of a column in each row of
   * a grid.
   */
  oversized: boolean
  /** The choices that are offered. */
  offered: readonly Choice[]
  /** Whether the choices depend on answers on the same page, so that the script can change them. */
  isLive: boolean
  /** Whether images on other websites are left out, because the survey is anonymous. */
  omitsExternalImages: boolean
  /** Returns the ID of the HTML element for a response key or a question ID. */
  idOf(key: string): string
}

/** A function that renders one kind of question. */
export type RenderQuestion = (context: RenderContext) => Html
