import { imageTypes } from '../../../domain/image/image.ts'
import { isDefaultLabel } from '../../../domain/structure/publishing/texts.ts'
import type { LanguageText } from '../../../domain/structure/questionnaire.ts'
import { authoredSetting, settingOf } from '../../../domain/structure/setting.ts'
import type { StructureItem, StructureQuestion } from '../../../domain/structure/structure.ts'
import { type Json, MAX_CODE_CHARACTERS, uidOf } from '../../../domain/structure/walk.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { isAutomatic, type KnownKind, questionTypes } from '../../../questions/index.ts'
import { errorSentence, type FieldErrorTexts, field, select, textArea } from '../../forms/field.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { capitalize } from '../../layout/format.ts'
import { icon } from '../../layout/parts.ts'
import { viewOf } from '../../questions/index.ts'
import type { QuestionSetting } from '../../questions/question-view.ts'
import { type ItemNoun, NOUNS } from './describe-errors.ts'
import type { Difference } from './page-form.ts'
import { type EnteredItem, listsOf, settingsOf } from './question-fields.ts'
import { choicesOf, textOf } from './texts.ts'

/** The values of the form of a question. */
export interface QuestionForm {
  kind: KnownKind
  /** Returns the value of a field; '' for a checkbox that is not ticked. */
  value(name: string): string
  choices: readonly EnteredItem[]
  rows: readonly EnteredItem[]
  errors: FieldErrorTexts
}

/** Returns the form values of a stored question. */
export function storedValues(question: StructureQuestion, kind: KnownKind, code: string): Omit<QuestionForm, 'errors'> {
  const values: Record<string, string> = {
    title: textOf(question.title, code),
    description: textOf(question.description, code),
    identifier: typeof question.identifier === 'string' ? question.identifier : '',
  }
  const validation: Json = settingOf(question, 'validation') ?? {}
  for (const { name, control, ofValidation } of settingsOf(kind)) {
    const stored = ofValidation ? validation[name] : authoredSetting(question, name)
    values[name] =
      control === 'text'
        ? textOf(stored as LanguageText | undefined, code)
        : control === 'check'
          ? stored === true
            ? 'on'
            : ''
          : control === 'numbers'
            ? Array.isArray(stored)
              ? stored.join(' ')
              : String(stored ?? '')
            : String(stored ?? '')
  }
  // `datetime` is the default format of a date question. In the drop-down list of the form, the default has the value
  // ''.
  if (values.format === 'datetime') values.format = ''
  const choices = choicesOf(question)
  for (const [index, name] of ['yes', 'no'].entries()) {
    values[name] = textOf(choices[index]?.label, code)
    values[`${name}.was`] = values[name]
    values[`${name}.uid`] = choices[index] ? String(uidOf(choices[index], index)) : ''
  }
  const entered = (items: readonly StructureItem[], noun: 'new choice' | 'new row') =>
    items.map((item, index) => ({
      ...enteredItem(item, index, code),
      isNew: isDefaultLabel(textOf(item.label, code), code, noun),
    }))
  const { rows } = listsOf(kind)
  return {
    kind,
    value: (name) => values[name] ?? '',
    choices: entered(choices, 'new choice'),
    rows: rows ? entered(question.children, 'new row') : [],
  }
}

const enteredItem = (item: StructureItem, index: number, code: string): EnteredItem => ({
  uid: String(uidOf(item, index)),
  label: textOf(item.label, code),
  score: item.score === undefined || item.score === null ? '' : String(item.score),
  other: item.other === true,
  exclusive: item.exclusive === true,
  code: typeof item.code === 'string' ? item.code : '',
  weight: item.weight === undefined ? '' : String(item.weight),
  ...(item.image && { image: { url: String(item.image.url ?? ''), alt: textOf(item.image.alt, code) } }),
})

const YES_NO = perLanguage(
  () =>
    [
      { name: 'yes', label: t('Label for yes') },
      { name: 'no', label: t('Label for no') },
    ] as const,
)

/** Returns the fields whose values differ between two forms of a question, with both values as text. */
export function differencesOf(theirs: Omit<QuestionForm, 'errors'>, mine: Omit<QuestionForm, 'errors'>): Difference[] {
  const fields = [
    { name: 'title', label: t('Question') },
    { name: 'description', label: t('Description') },
    ...(questionTypes[mine.kind].yesNo ? YES_NO() : []),
    ...settingsOf(mine.kind),
    { name: 'identifier', label: t('Short name') },
  ]
  const text = (value: string) => (value === 'on' ? t('Yes') : value.replaceAll('\r\n', '\n').trim())
  const items = (list: readonly EnteredItem[]) =>
    list.map(({ label, score, weight = '' }) => (score + weight ? `${label} (${score + weight})` : label)).join(', ')
  const { rows, choices } = listsOf(mine.kind)
  return [
    ...fields.map(({ name, label }) => ({ label, theirs: text(theirs.value(name)), mine: text(mine.value(name)) })),
    { label: NOUNS()[rows ?? 'row'].all, theirs: items(theirs.rows), mine: items(mine.rows) },
    {
      label: NOUNS()[choices ?? 'choice'].all,
      theirs: items(theirs.choices),
      mine: choices ? items(mine.choices) : items(theirs.choices),
    },
  ].filter(({ theirs: before, mine: after }) => before !== after)
}

/**
 * Renders the fields of a question.
 * @param belowTexts is shown below the fields for the title and the description
 */
export function questionFields(form: QuestionForm, belowTexts: Part = null): Html {
  const { kind, value, errors } = form
  const { rows, choices } = listsOf(kind)
  const isText = questionTypes[kind].fieldType === null
  const isHidden = isAutomatic(kind)
  const hint = isText
    ? t('Optional. Shown below the heading.')
    : isHidden
      ? t('Optional. Not shown to respondents.')
      : t('Optional. Shown below the question.')
  return html`
    ${textArea({
      name: 'title',
      label: isText ? t('Heading') : isHidden ? t('Name') : t('Question'),
      ...(isHidden && { hint: t('Shown in responses and reports, not to respondents.') }),
      value: value('title'),
      prose: true,
      rows: 2,
      errors,
    })}
    ${textArea({
      name: 'description',
      label: isText ? t('Text') : t('Description'),
      hint,
      value: value('description'),
      prose: true,
      rows: 2,
      errors,
    })}
    ${!isHidden && belowTexts}
    ${questionTypes[kind].yesNo && yesNoFields(form)}
    ${rows && itemList({ name: 'row', noun: 'row', items: form.rows, errors })}
    ${choices && itemList({ name: 'choice', noun: choices, items: form.choices, errors, optionsOf: kind })}
    ${settingFields(form)}
    ${
      !isText &&
      html`<details class="advanced"${errors.has('identifier') && html` open`}>
        <summary>Advanced</summary>
        ${field({
          name: 'identifier',
          label: t('Short name'),
          hint: t(
            'Used in exports, conditions and placeholders. Starts with a letter and contains only letters, digits and underscores. For example, drink.',
          ),
          value: value('identifier'),
          errors,
        })}
      </details>`
    }`
}

function yesNoFields({ value, errors }: QuestionForm): Html {
  return html`<div class="pair">
    ${YES_NO().map(
      ({ name, label }) =>
        html`
          <input type="hidden" name="${name}.uid" value="${value(`${name}.uid`)}">
          <input type="hidden" name="${name}.was" value="${value(`${name}.was`)}">
          ${field({ name, label, hint: t('Leave blank for the default.'), value: value(name), errors })}`,
    )}
  </div>`
}

function settingFields(form: QuestionForm): Part {
  const settings = settingsOf(form.kind)
  const own = settings.filter(({ ofValidation }) => !ofValidation)
  const [kind, ...limits] = settings.filter(({ ofValidation }) => ofValidation)
  const isOpen = limits.some(({ name }) => form.value(name) !== '' || form.errors.has(name))
  return html`
    ${own.map((setting) => settingField(setting, form))}
    ${kind && settingField(kind, form)}
    ${
      limits.length > 0 &&
      html`<details class="advanced"${isOpen && html` open`}>
        <summary>Limits and error message</summary>
        ${limits.map((setting) => settingField(setting, form))}
      </details>`
    }`
}

function settingField({ name, control, label, hint, options = [] }: QuestionSetting, form: QuestionForm): Html {
  const { errors } = form
  const value = form.value(name)
  const common = { name, label, value, errors, ...(hint !== undefined && { hint }) }
  switch (control) {
    case 'check':
      return html`<div class="field tickbox">
        <label>
          <input type="checkbox" name="${name}" value="on"${value !== '' && html` checked`}${
            hint !== undefined && html` aria-describedby="${name}-hint"`
          }> ${label}
        </label>
        ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
        ${errors.has(name) && html`<p class="error">${errorSentence(label, errors.get(name)!)}</p>`}
      </div>`
    case 'count':
    case 'number':
      return field({
        ...common,
        short: true,
        attributes: html` inputmode="${control === 'count' ? 'numeric' : 'decimal'}"`,
      })
    case 'checks':
      return html`<fieldset class="field"${hint !== undefined && html` aria-describedby="${name}-hint"`}>
        <legend>${label}</legend>
        ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
        ${errors.has(name) && html`<p class="error">${errorSentence(label, errors.get(name)!)}</p>`}
        ${options.map(
          (option) =>
            html`<div class="tickbox">
              <label>
                <input type="checkbox" name="${name}"
                    value="${option.value}"${value.split(',').includes(option.value) && html` checked`}> ${option.label}
              </label>
            </div>`,
        )}
      </fieldset>`
    case 'select':
      return select({ ...common, options })
    default:
      return field(common)
  }
}

interface ItemList {
  /** The prefix of the field names. */
  name: 'choice' | 'row'
  /** The noun for one item, such as `column`. */
  noun: ItemNoun
  items: readonly EnteredItem[]
  errors: FieldErrorTexts
  /** The question type, on which the options of a choice depend; undefined for rows, because a row has no options. */
  optionsOf?: KnownKind
}

/**
 * Renders the list of choices, rows or columns. Each item has a label and buttons. A text area below the list adds
 * items.
 */
function itemList({ name, noun, items, errors, optionsOf }: ItemList): Html {
  const key = name === 'choice' ? 'choices' : 'rows'
  const error = errors.get(key)
  return html`<fieldset class="items" id="${key}" data-list="${name}" data-noun="${NOUNS()[noun].one}"
      data-add="${NOUNS()[noun].addOne}">
    <legend>${NOUNS()[noun].all}</legend>
    ${error !== undefined && html`<p class="error">${errorSentence(NOUNS()[noun].all, error)}</p>`}
    <ol>${items.map((item, index) => itemRow(item, index, items.length, { name, noun, errors, optionsOf }))}</ol>
    ${textArea({
      name: `${name}.new`,
      label: NOUNS()[noun].add,
      hint: t('One per line.'),
      prose: true,
      rows: 2,
      value: '',
    })}
  </fieldset>`
}

function itemRow(
  item: EnteredItem,
  index: number,
  count: number,
  { name, noun, errors, optionsOf }: Omit<ItemList, 'items'>,
): Html {
  const { uid, label, isNew } = item
  const prefix = `${name}.${index}`
  const button = (action: 'up' | 'down' | 'remove', text: string, disabled = false) =>
    html`<button class="quiet small arrow" name="do" value="${action}.${prefix}"
        title="${text}"${disabled && html` disabled`}>
      ${icon(action)}
      <span class="hidden">${text} ${NOUNS()[noun].one} ${index + 1}</span>
    </button>`
  return html`<li>
    <input type="hidden" name="${prefix}.uid" value="${uid}">
    <label class="hidden" for="${prefix}">${capitalize(NOUNS()[noun].one)} ${index + 1}</label>
    <input class="box" id="${prefix}" name="${prefix}.label" value="${label}"
        autocomplete="off"${isNew && html` data-new`}>
    <div class="item-actions">
      ${button('up', t('Up'), index === 0)}
      ${button('down', t('Down'), index === count - 1)}
      ${button('remove', t('Remove'))}
    </div>
    ${optionsOf && detailsOf(prefix, item, `${NOUNS()[noun].one} ${index + 1}`, optionsOf, errors)}
  </li>`
}

function detailsOf(
  prefix: string,
  { score, weight = '', other, exclusive, code = '', image }: EnteredItem,
  of: string,
  kind: KnownKind,
  errors: FieldErrorTexts,
): Part {
  const box = (member: string, label: string, ticked: boolean) =>
    html`<label class="inline">
      <input type="checkbox" name="${prefix}.${member}" value="on"${ticked && html` checked`}> ${label}
      <span class="hidden"> (${of})</span>
    </label>`
  const { withOther, exclusiveLabel } = viewOf(kind)
  const withImage = questionTypes[kind].withImages === true
  const isWeighted = questionTypes[kind].weighted === true
  const isSet = withImage || isWeighted || other || exclusive || score !== '' || code !== ''
  // An option that is set is also shown for a question type in which it has no effect, so that authors can remove it.
  const exclusiveText = exclusiveLabel?.() ?? (exclusive ? t('Cannot be combined with other choices') : undefined)
  return html`<details class="item-details"${isSet && html` open`}>
    <summary>Options<span class="hidden"> of ${of}</span></summary>
    <div>
      ${withImage && choicePicture(prefix, image, of, errors)}
      ${(withOther || other) && box('other', t('With a text field (“Other”)'), other)}
      ${exclusiveText !== undefined && box('exclusive', exclusiveText, exclusive)}
      ${
        isWeighted
          ? html`<label class="inline">
              Weight<span class="hidden"> (${of})</span> <input class="box short" name="${prefix}.weight"
                  value="${weight}" placeholder="1" inputmode="numeric">
            </label>`
          : html`<label class="inline">
              Score<span class="hidden"> (${of})</span> <input class="box short" name="${prefix}.score" value="${score}"
                  inputmode="decimal">
            </label>`
      }
      <label class="inline">
        Code<span class="hidden"> (${of})</span> <input class="box short" name="${prefix}.code" value="${code}"
            maxlength="${MAX_CODE_CHARACTERS}" autocomplete="off" autocapitalize="none">
      </label>
    </div>
  </details>`
}

/**
 * Renders the fields for the image of a choice: the image, the buttons that upload and remove it, and its description.
 * With JavaScript, a file is uploaded when the author chooses it. Without JavaScript, the file is uploaded when the
 * author submits the form.
 * @param prefix the prefix of the field names, such as `choice.0`
 * @param choiceName names the choice in labels that only screen readers read
 */
function choicePicture(
  prefix: string,
  { url, alt }: NonNullable<EnteredItem['image']> = { url: '', alt: '' },
  choiceName: string,
  errors: FieldErrorTexts,
): Html {
  const [altError, urlError] = [errors.get(`${prefix}.alt`), errors.get(`${prefix}.image`)]
  const hidden = html`<span class="hidden"> (${choiceName})</span>`
  const button = (action: string, style: string, text: string, isHidden = false) =>
    html`<button class="${style}" name="do" value="${action}.${prefix}"${isHidden && html` hidden`}>
      ${text}
      <span class="hidden"> ${choiceName}</span>
    </button>`
  return html`<div class="choice-picture" data-picture>
    ${url && html`<img src="${url}" alt="" referrerpolicy="no-referrer">`} <label class="picture-file">
      Image file${hidden} <input type="file" name="${prefix}.file" accept="${imageTypes.join()}">
    </label>
    <div class="item-actions">
      ${button('image', 'small', t('Add image'))}
      ${button('remove-image', 'quiet small', t('Remove image'), url === '')}
    </div>
    <p class="hint">PNG, JPEG, GIF, WebP or AVIF, at most 5 MB.</p>
    <p class="picture-status" role="status"></p>
    <label class="picture-alt">
      ${t('Description of the image')}
      ${hidden}
      <span class="hint">${t('Screen readers read this text to respondents who cannot see the image.')}</span>
      ${altError && html`<span class="error">${altError}</span>`}
      <input class="box" name="${prefix}.alt" value="${alt}"
          autocomplete="off"${altError && html` aria-invalid="true"`}>
    </label>
    <details${urlError && html` open`}>
      <summary>Image on another website${hidden}</summary>
      <label>
        ${t('Image URL (https)')}
        ${hidden}
        ${urlError && html`<span class="error">${urlError}</span>`}
        <input class="box" name="${prefix}.image" value="${url}"
            autocomplete="off"${urlError && html` aria-invalid="true"`}>
      </label>
    </details>
  </div>`
}
