import type { Html } from '../../lib/html.ts'
import { type KnownKind, kindOf, questionTypes } from '../../questions/index.ts'
import { perLanguage, t } from '../i18n/t.ts'
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
import type { QuestionView, RenderContext, TypeName } from './question-view.ts'
import { randomGroup } from './random-group.ts'
import { ranking } from './ranking.ts'
import { rating } from './rating.ts'
import { render as renderTexts, sectionSeparator } from './section-separator.ts'
import { signature } from './signature.ts'
import { singleChoice } from './single-choice.ts'
import { singleChoiceGrid } from './single-choice-grid.ts'
import { slider } from './slider.ts'
import { textResponse } from './text-response.ts'
import { textResponseGrid } from './text-response-grid.ts'

/** The question types in groups, in the order in which the builder lists them. */
const groups = [
  {
    title: () => t('Choices'),
    views: [singleChoice, multipleChoice, imageChoice, dropdownChoice, booleanChoice, ranking],
  },
  { title: () => t('Text and numbers'), views: [textResponse, number, constantSum, email, datetime] },
  { title: () => t('Ratings'), views: [rating, slider, netPromoter] },
  { title: () => t('Grids'), views: [singleChoiceGrid, multipleChoiceGrid, dropdownGrid, textResponseGrid] },
  { title: () => t('Files and consent'), views: [fileUpload, signature, consent] },
  { title: () => t('Not answered by respondents'), views: [sectionSeparator, hiddenField, calculation, randomGroup] },
] as const satisfies readonly { title(): string; views: readonly QuestionView[] }[]

type Viewed = (typeof groups)[number]['views'][number]

/** The views by `idname`. A question type without a view does not compile. */
const views = Object.fromEntries(groups.flatMap(({ views }) => views.map((view: Viewed) => [view.idname, view]))) as {
  readonly [Kind in Viewed['idname']]: QuestionView
} satisfies Readonly<Record<KnownKind, QuestionView>>

/** Questions of an unknown type have only their texts. */
const unknown: Pick<QuestionView, 'render'> & Partial<QuestionView> = { render: renderTexts }

/** Returns how the questions of a type are drawn and edited. */
export const viewOf = (kind: string): typeof unknown =>
  Object.hasOwn(views, kind) ? views[kind as KnownKind] : unknown

/** Renders a question according to its type. */
export const renderQuestion = (context: RenderContext): Html => context.view.render(context)

/** The name and description of a question type for authors. */
export interface KindName extends TypeName {
  kind: KnownKind
}

/** A group of related question types in the list of all types. */
interface KindGroup {
  title: string
  kinds: readonly KindName[]
}

/** Returns all question types, in the order in which the builder lists them. */
export const kindGroups: () => readonly KindGroup[] = perLanguage(() =>
  groups.map(({ title, views }) => ({
    title: title(),
    kinds: views.map((view: QuestionView) => ({ kind: view.idname, ...view.name() })),
  })),
)

const byKind = perLanguage(
  () => new Map<string, KindName>(kindGroups().flatMap((group) => group.kinds.map((entry) => [entry.kind, entry]))),
)

/** Returns the name and description of the question type that an `idname` identifies; undefined for an unknown type. */
export const kindNameOf = (idname: unknown): KindName | undefined => byKind().get(kindOf(idname))

/** Returns the question type of a form field; undefined if the value is not a question type. */
export const parseKind = (value: string | undefined): KnownKind | undefined =>
  value !== undefined && Object.hasOwn(questionTypes, value) ? (value as KnownKind) : undefined
