import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeText, findJsonEnd, parseStrictJson } from '../../../src/core/text/strict-json.ts';

const bom = String.fromCharCode(0xfeff);
const high = String.fromCharCode(0xd83d);
const low = String.fromCharCode(0xde00);
const tab = '\t';

function refusal(text: string, depthMax?: number) {
  const result = parseStrictJson(text, depthMax);
  return result.ok ? 'accepted' : `${result.kind} ${result.line}:${result.column} ${result.message}`;
}

describe('parseStrictJson refuses, naming the place', () => {
  test.each([
    ['', 'syntax 1:1 the text is empty'],
    [' \r\n\t ', 'syntax 2:3 the text is empty'],
    [`${bom}{}`, 'syntax 1:1 the text starts with a byte order mark; save it as UTF-8 without one'],
    ['{"a":1,\n "a":2}', "syntax 2:2 duplicate key 'a'"],
    [String.raw`{"passes":1,"p\u0061sses":2}`, "syntax 1:13 duplicate key 'passes'"],
    ['{"__proto__":{}}', "syntax 1:2 the key '__proto__' is not allowed"],
    [String.raw`{"\u005f_proto__":{}}`, "syntax 1:2 the key '__proto__' is not allowed"],
    [String.raw`["\ud83d"]`, String.raw`syntax 1:3 lone surrogate \ud83d`],
    [String.raw`["a\uDE00\ud83d"]`, String.raw`syntax 1:4 lone surrogate \uDE00`],
    [String.raw`["\ud83d\ud83d"]`, String.raw`syntax 1:3 lone surrogate \ud83d`],
    [`["${high}"]`, 'syntax 1:3 lone surrogate U+D83D in a string'],
    [`["${low}${high}"]`, 'syntax 1:3 lone surrogate U+DE00 in a string'],
    [`["${high}\\ude00"]`, 'syntax 1:3 lone surrogate U+D83D in a string'],
    [`["\\ud83d${low}"]`, String.raw`syntax 1:3 lone surrogate \ud83d`],
    ['9007199254740992', 'syntax 1:1 the number 9007199254740992 is not safe: it cannot be kept exactly'],
    ['[-9007199254740993]', 'syntax 1:2 the number -9007199254740993 is not safe: it cannot be kept exactly'],
    ['1e400', 'syntax 1:1 the number 1e400 is not safe: it cannot be kept exactly'],
    ['-1e400', 'syntax 1:1 the number -1e400 is not safe: it cannot be kept exactly'],
    ['1e300', 'syntax 1:1 the number 1e300 is not safe: it cannot be kept exactly'],
    ['0.1e-400', 'syntax 1:1 the number 0.1e-400 is not safe: it cannot be kept exactly'],
    ['1'.repeat(400), 'syntax 1:1 a bare word of 400 characters or more'],
    ['{"a":/* b */1}', 'syntax 1:6 comments are not allowed in JSON'],
    ['1 // b', 'syntax 1:3 comments are not allowed in JSON'],
    ['# a', 'syntax 1:1 comments are not allowed in JSON'],
    ["{'a':1}", 'syntax 1:2 use double quotes for strings'],
    ["['a']", 'syntax 1:2 use double quotes for strings'],
    ['[1,2 , ]', "syntax 1:6 trailing comma before ']'"],
    ['{"a":1,\n}', "syntax 1:7 trailing comma before '}'"],
    ['[,1]', "syntax 1:2 expected a value, found ','"],
    ['[1,,2]', "syntax 1:4 expected a value, found ','"],
    ['[1 2]', "syntax 1:4 expected ',' or ']', found '2'"],
    ['{"a":1 "b":2}', "syntax 1:8 expected ',' or '}', found '\"'"],
    ['{"a":1]', "syntax 1:7 expected ',' or '}', found ']'"],
    ['{"a" 1}', "syntax 1:6 expected ':' after the key, found '1'"],
    ['{a:1}', "syntax 1:2 expected a key in double quotes, found 'a'"],
    ['{"a":1,b:2}', "syntax 1:8 expected a key in double quotes, found 'b'"],
    ['{"a', 'syntax 1:2 this string has no closing quote'],
    [`["a${tab}b"]`, 'syntax 1:4 control character U+0009 in a string; write it as an escape'],
    ['["a\nb"]', 'syntax 1:4 control character U+000A in a string; write it as an escape'],
    [String.raw`["\x41"]`, 'syntax 1:3 a backslash that starts no JSON escape'],
    [String.raw`["\u12g4"]`, 'syntax 1:3 a backslash that starts no JSON escape'],
    ['"\\', 'syntax 1:2 a backslash that starts no JSON escape'],
    ['{} {}', "syntax 1:4 expected the end of the text, found '{'"],
    ['1\n]', "syntax 2:1 expected the end of the text, found ']'"],
    [`1${bom}`, String.raw`syntax 1:2 expected the end of the text, found '\ufeff'`],
    ['[', 'syntax 1:2 the text ends where a value should stand'],
    ['[1', "syntax 1:3 the text ends where ',' or ']' should stand"],
    ['{', 'syntax 1:2 the text ends where a key in double quotes should stand'],
    ['{"a"', "syntax 1:5 the text ends where ':' after the key should stand"],
    ['{"a":', 'syntax 1:6 the text ends where a value should stand'],
  ])('%j', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test.each([
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
    'True',
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    '0x10',
    '1_0',
  ])('%s, which is no JSON', (word) => {
    expect(refusal(`[${word}]`)).toBe(
      `syntax 1:2 '${word}' is not JSON; only true, false, null and plain decimal numbers may be unquoted`,
    );
  });

  test('nesting beyond the limit is another kind than broken text', () => {
    expect(refusal('[[1]]', 2)).toBe('accepted');
    expect(refusal('[{"a":[1]}]', 2)).toBe('limit 1:7 nested more than 2 levels deep');
    expect(refusal('['.repeat(256) + ']'.repeat(256))).toBe('accepted');
    expect(refusal('['.repeat(1_000_000))).toBe('limit 1:257 nested more than 256 levels deep');
  });

  test('every control character below the space in a string, and no other', () => {
    for (let code = 0; code < 0xa0; code += 1) {
      const text = `["${String.fromCharCode(code)}"]`;
      if (code < 0x20) expect(refusal(text)).toMatch(/^syntax 1:3 control character U\+00[01][0-9A-F] /);
      else if (code !== 0x22 && code !== 0x5c) expect(refusal(text)).toBe('accepted');
    }
  });

  test('every proper prefix of a document', () => {
    const text = String.raw`{"id":"root","n":[-1.5e+3,true,null,{"k":"\u00e9\ud83d\ude00\n"}],"e":{}}`;
    expect(refusal(text)).toBe('accepted');
    for (let end = 0; end < text.length; end += 1) expect(refusal(text.slice(0, end))).not.toBe('accepted');
  });
});

describe('parseStrictJson accepts', () => {
  test.each([
    '-0',
    '-0.0',
    '0e5',
    '1.0',
    '-1.5E-3',
    '9007199254740991',
    '-9007199254740991',
    '1e15',
    '5e-324',
  ])('the number %s', (text) => {
    expect(parseStrictJson(text)).toStrictEqual({ ok: true, value: Number(text) + 0 });
  });

  test('-0 as 0', () => {
    const result = parseStrictJson('-0');
    expect(result.ok && Object.is(result.value, 0)).toBe(true);
  });

  test('all escapes, and pairs of surrogates raw or escaped', () => {
    const text = String.raw`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00 é${'😀'}"`;
    expect(parseStrictJson(text)).toStrictEqual({ ok: true, value: '"\\/\b\f\n\r\té😀 é😀' });
  });

  test('names of inherited properties as ordinary keys', () => {
    const text = '{"constructor":1,"toString":{"hasOwnProperty":null},"prototype":[]}';
    const result = parseStrictJson(text);
    expect(result).toStrictEqual({ ok: true, value: JSON.parse(text) });
  });

  test('whatever JSON.stringify writes, with the value JSON.parse reads', () => {
    const arbValue = fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 });
    const arbText = fc.tuple(arbValue, fc.constantFrom(undefined, 2, '\t', '\r\n '));
    fc.assert(
      fc.property(arbText, ([value, indent]) => {
        const text = JSON.stringify(value, null, indent);
        const result = parseStrictJson(text);
        if (!result.ok) expect(result.message).toMatch(/is not safe|'__proto__' is not allowed/);
        else expect(result.value).toStrictEqual(JSON.parse(text));
      }),
    );
  });

  test('nothing that JSON.parse refuses, and no random edit makes it throw', () => {
    const arbEdit = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom(...Array.from('{}[]",:\\u0ae-. \n/\'')),
    );
    fc.assert(
      fc.property(arbEdit, ([text, place, cut, insert]) => {
        const at = place % (text.length + 1);
        const edited = text.slice(0, at) + insert + text.slice(at + cut);
        const result = parseStrictJson(edited);
        // As texts, because -0 is read as 0.
        if (result.ok) expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(edited)));
      }),
    );
  });
});

test('findJsonEnd stops after one value and ignores what follows', () => {
  expect(findJsonEnd('x {"a":[1]} y', 2)).toBe(11);
  expect(findJsonEnd('12,', 0)).toBe(2);
  expect(findJsonEnd('{"a":', 0)).toBeNull();
});

test('escapeText shortens and shows what a terminal would obey', () => {
  expect(escapeText('é 日本')).toBe('é 日本');
  expect(escapeText('\u001b[31m\u202e\u{e0001}')).toBe(String.raw`\u001b[31m\u202e\udb40\udc01`);
  expect(escapeText('x'.repeat(61))).toBe(`${'x'.repeat(60)}…`);
  expect(escapeText('x'.repeat(60))).toBe('x'.repeat(60));
});
