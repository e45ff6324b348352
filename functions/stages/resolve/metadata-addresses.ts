// Addresses at which clouds hand out credentials to whoever asks: no direct rule may reach one by accident.
// Data: metadata-services.json, from the clouds' own documentation; the probe tries the same list.
import { type Address, formatAddress, parseAddress } from './address';
import { addressBlock, type Cidr, type CutBlock, reaches } from './cidr';
import list from './metadata-services.json';

export interface MetadataAddress {
  readonly address: string;
  readonly service: string;
  readonly cidr: Cidr;
}

/** Where a NAT64 gateway translates, an IPv4 address is reached behind this prefix too (RFC 6052, 2.1). */
const NAT64 = 0x64ff9bn << 96n;

export const METADATA_ADDRESSES: readonly MetadataAddress[] = list.flatMap(({ address, service }) => {
  const parsed = parseAddress(address);
  if ('problem' in parsed) throw new Error(`metadata-services.json: ${address}: ${parsed.problem}`);
  const own = { address, service, cidr: addressBlock(parsed) };
  if (parsed.family === 6) return [own];
  const translated: Address = { family: 6, value: NAT64 | parsed.value };
  return [own, { address: formatAddress(translated), service: `${service}, by NAT64`, cidr: addressBlock(translated) }];
});

/**
 * The metadata addresses that a block lets through. An address is reached by a union of blocks exactly if one of them
 * reaches it, so each block of a seat can be asked alone: an `except` elsewhere takes nothing back.
 */
export const reachedMetadata = (block: CutBlock): readonly MetadataAddress[] =>
  METADATA_ADDRESSES.filter(({ cidr }) => reaches(block, cidr));
