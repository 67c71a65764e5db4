import type { Question } from '../../domain/structure/questionnaire.ts'
import type { Part } from '../../lib/html.ts'
import type { KnownKind } from '../../questions/index.ts'
import type { RenderContext, RenderQuestion } from './render-context.ts'

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
  render: RenderQuestion
}
