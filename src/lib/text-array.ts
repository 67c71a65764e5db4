import { ArrayType, type Platform, type TransformContext } from '@mikro-orm/core'

/**
 * A `text[]` column. MikroORM quotes an element only where it holds quotation marks, braces, commas or backslashes; without
 * quotes PostgreSQL reads `null` as no value, drops spaces around an element and misreads JSON escapes ("Array Input and Output
 * Syntax" in its manual). This type quotes every element.
 */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(
    value: string[] | null,
    platform: Platform,
    context?: TransformContext,
  ): string | null {
    if (!Array.isArray(value)) return super.convertToDatabaseValue(value, platform, context)
    return `{${value.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
  }
}
