import { isRecord, type Json } from '../../structure/walk.ts'
import type { Notes } from '../notes.ts'

/** Kinds of texts by the content type of Qualtrics. */
const KINDS: Readonly<Record<string, string>> = {
  ValidEmail: 'email',
  ValidPhone: 'phone',
  ValidURL: 'url',
  ValidTextOnly: 'letters',
}

const limitOf = (value: unknown): number | undefined =>
  value === undefined || value === null || value === '' || !Number.isFinite(Number(value)) ? undefined : Number(value)

/** Returns the type and the settings of a text entry question. */
export function textQuestion(
  validation: Json,
  selector: string,
  item: string,
  notes: Notes,
): { idname: string; settings: Json } {
  const { ContentType, MinChars, TotalChars, Type } = validation
  if (ContentType === 'ValidNumber') {
    const { Min, Max, NumDecimals } = isRecord(validation.ValidNumber) ? validation.ValidNumber : {}
    const [min, max, decimals] = [limitOf(Min), limitOf(Max), limitOf(NumDecimals)]
    return {
      idname: 'number',
      settings: {
        decimals: Math.min(10, Math.max(0, decimals ?? 10)),
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      },
    }
  }
  const kind = KINDS[String(ContentType)]
  if (Type === 'ContentType' && !kind) notes.add('validation_not_supported', { item, value: String(ContentType) })
  if (Type === 'CustomValidation') notes.add('validation_not_supported', { item, value: Type })
  if (selector === 'PW') notes.add('type_replaced', { item, value: selector })
  const rules = {
    ...(kind && { kind }),
    ...(Number(MinChars) > 0 && { minLength: Number(MinChars) }),
    ...(Number(TotalChars) > 0 && { maxLength: Number(TotalChars) }),
  }
  const lines = selector === 'ML' ? 4 : selector === 'ESTB' ? 8 : undefined
  return {
    idname: 'text-response',
    settings: { ...(lines && { lines }), ...(Object.keys(rules).length > 0 && { validation: rules }) },
  }
}
