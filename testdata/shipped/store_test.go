// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"
)

// keyOf is the key of an object k=v.
func keyOf(obj any) (string, error) {
	s, ok := obj.(string)
	k, _, found := strings.Cut(s, "=")
	if !ok || !found {
		return "", errors.New("no key")
	}
	return k, nil
}

func TestRaceStoreAdds(t *testing.T) {
	s := cache.NewStore(keyOf)
	concurrently(func() { _ = s.Add("k=1") }, func() { _ = s.Add("k=2") })
}

func TestRaceStoreGetUpdate(t *testing.T) {
	s := cache.NewStore(keyOf)
	_ = s.Add("k=1")
	concurrently(func() { _ = s.Update("k=2") }, func() { _, _, _ = s.GetByKey("k") })
}

func TestRaceStoreListAdd(t *testing.T) {
	s := cache.NewIndexer(keyOf, cache.Indexers{})
	concurrently(func() { _ = s.Add("k=2") }, func() { s.List() })
}

func TestRaceStoreUpdateDelete(t *testing.T) {
	s := cache.NewStore(keyOf)
	_ = s.Add("k=1")
	concurrently(func() { _ = s.Update("k=2") }, func() { _ = s.Delete("k=1") })
}

func TestRaceStoreReplace(t *testing.T) {
	s := cache.NewStore(keyOf)
	concurrently(func() { _ = s.Add("k=2") }, func() { _ = s.Replace(nil, "") })
}

func TestRaceStoreGetThenAdd(t *testing.T) {
	s := cache.NewStore(keyOf)
	both(func(i int) {
		if _, ok, _ := s.GetByKey("k"); !ok {
			_ = s.Add([]string{"k=1", "k=2"}[i])
		}
	})
}

func TestRaceThreadSafeStore(t *testing.T) {
	s := cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{})
	both(func(i int) { s.Update("k", i) })
}

func TestNoRaceStoreOtherKeys(t *testing.T) {
	s := cache.NewStore(keyOf)
	both(func(i int) {
		obj := []string{"a=1", "b=1"}[i]
		_ = s.Add(obj)
		_, _, _ = s.Get(obj)
		_ = s.Update(obj + "0")
		_ = s.Delete(obj)
	})
}

func TestNoRaceStoreEqualObjects(t *testing.T) {
	s := cache.NewStore(keyOf)
	both(func(int) { _ = s.Add("k=1") })
}

func TestNoRaceStoreDeletes(t *testing.T) {
	s := cache.NewStore(keyOf)
	_ = s.Add("k=1")
	both(func(int) { _ = s.Delete("k=1") })
}

func TestNoRaceStoreListKeys(t *testing.T) {
	s := cache.NewStore(keyOf)
	_ = s.Add("k=1")
	concurrently(func() { _ = s.Update("k=2") }, func() { s.ListKeys() })
}

func TestNoRaceStoreReaders(t *testing.T) {
	s := cache.NewStore(keyOf)
	_ = s.Add("k=1")
	both(func(int) {
		s.List()
		s.ListKeys()
		_, _, _ = s.GetByKey("k")
	})
}
