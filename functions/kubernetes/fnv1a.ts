// FNV-1a of 32 bits (RFC 9923), as agent-sandbox makes label values of names (controllers/sandbox_controller.go, NameHash).
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Eight hex digits over the bytes of the text in UTF-8. Short: different names can have the same. */
export function fnv1a(text: string): string {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, PRIME);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
