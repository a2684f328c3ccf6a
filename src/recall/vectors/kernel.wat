;; What an index of vectors does with every row, on 16 bytes at a time. Rows are int8, `width` bytes each (a multiple of 16).
;; Compiled into kernel-bytes.ts by scripts/kernel.mjs; kernel.test.ts compares each function with plain JavaScript.
(module
  (memory (export "memory") 1)

  ;; out[i] = row[i] · query, as i32. The query is widened to i16 already.
  (func (export "dots") (param $row i32) (param $rows i32) (param $width i32) (param $query i32) (param $out i32)
    (local $q i32) (local $queryEnd i32) (local $outEnd i32) (local $bytes v128) (local $low v128) (local $high v128)
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $rows) (i32.const 2))))
    (local.set $queryEnd (i32.add (local.get $query) (i32.shl (local.get $width) (i32.const 1))))
    (block $done
      (loop $nextRow
        (br_if $done (i32.ge_u (local.get $out) (local.get $outEnd)))
        (local.set $q (local.get $query))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (loop $nextBytes
          (local.set $bytes (v128.load (local.get $row)))
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (v128.load (local.get $q)))))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (v128.load offset=16 (local.get $q)))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $nextBytes (i32.lt_u (local.tee $q (i32.add (local.get $q) (i32.const 32))) (local.get $queryEnd))))
        (i32.store (local.get $out) (call $sum (i32x4.add (local.get $low) (local.get $high))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $nextRow))))

  ;; out[i] = in how many bits row[i] differs from the query, as i32.
  (func (export "distances") (param $row i32) (param $rows i32) (param $width i32) (param $query i32) (param $out i32)
    (local $q i32) (local $queryEnd i32) (local $outEnd i32) (local $total v128)
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $rows) (i32.const 2))))
    (local.set $queryEnd (i32.add (local.get $query) (local.get $width)))
    (block $done
      (loop $nextRow
        (br_if $done (i32.ge_u (local.get $out) (local.get $outEnd)))
        (local.set $q (local.get $query))
        (local.set $total (v128.const i32x4 0 0 0 0))
        (loop $nextBytes
          (local.set $total (i32x4.add (local.get $total)
            (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u
              (i8x16.popcnt (v128.xor (v128.load (local.get $row)) (v128.load (local.get $q))))))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $nextBytes (i32.lt_u (local.tee $q (i32.add (local.get $q) (i32.const 16))) (local.get $queryEnd))))
        (i32.store (local.get $out) (call $sum (local.get $total)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $nextRow))))

  ;; out[i] = row[i] · row[i], as i32.
  (func (export "squares") (param $row i32) (param $rows i32) (param $width i32) (param $out i32)
    (local $rowEnd i32) (local $outEnd i32) (local $bytes v128) (local $half v128) (local $total v128)
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $rows) (i32.const 2))))
    (block $done
      (loop $nextRow
        (br_if $done (i32.ge_u (local.get $out) (local.get $outEnd)))
        (local.set $rowEnd (i32.add (local.get $row) (local.get $width)))
        (local.set $total (v128.const i32x4 0 0 0 0))
        (loop $nextBytes
          (local.set $bytes (v128.load (local.get $row)))
          (local.set $half (i16x8.extend_low_i8x16_s (local.get $bytes)))
          (local.set $total (i32x4.add (local.get $total) (i32x4.dot_i16x8_s (local.get $half) (local.get $half))))
          (local.set $half (i16x8.extend_high_i8x16_s (local.get $bytes)))
          (local.set $total (i32x4.add (local.get $total) (i32x4.dot_i16x8_s (local.get $half) (local.get $half))))
          (br_if $nextBytes
            (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 16))) (local.get $rowEnd))))
        (i32.store (local.get $out) (call $sum (local.get $total)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $nextRow))))

  (func $sum (param $lanes v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $lanes)) (i32x4.extract_lane 1 (local.get $lanes)))
      (i32.add (i32x4.extract_lane 2 (local.get $lanes)) (i32x4.extract_lane 3 (local.get $lanes)))))
)
